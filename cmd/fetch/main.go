// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Fetch replaces curl, wget and nmeter in images that have only static programs: it sends a GET or POST request and writes the
// response, or prints the time. The name it is called by selects whose options it takes; it knows those that upstream's specs
// use.
//
//	curl [-s] [-q] [-g] [-k] [-f] [-X METHOD] [-d DATA] [-m SECONDS] [--connect-timeout SECONDS] [-o FILE] URL
//	wget [-q] [-O FILE] [-T SECONDS] [--post-data DATA] URL
//	nmeter -d0 %3t
//
// Exit codes: 0 when there was an answer (for wget and curl -f: one below 400), 1 when there was none, 2 for bad usage.
package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

func main() { os.Exit(fetch(filepath.Base(os.Args[0]), os.Args[1:], os.Stdout, os.Stderr)) }

// request is the request of a command line.
type request struct {
	method, url, body, file string
	seconds, connect        float64
	insecure, strict        bool
}

func fetch(name string, args []string, out, errs io.Writer) int {
	if name == "nmeter" { // always read by head -n1
		fmt.Fprintln(out, time.Now().Format("15:04:05.000"))
		return 0
	}
	r, err := parse(name, args)
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", name, err)
		return 2
	}
	if err := r.do(out); err != nil {
		fmt.Fprintf(errs, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

func parse(name string, args []string) (*request, error) {
	r := &request{}
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.Usage = func() {}
	ignored := func(name, short string) { set.BoolP(name, short, false, "") }
	switch name {
	case "curl":
		ignored("silent", "s")
		ignored("show-error", "S")
		ignored("disable", "q")
		ignored("globoff", "g")
		set.BoolVarP(&r.insecure, "insecure", "k", false, "")
		set.BoolVarP(&r.strict, "fail", "f", false, "")
		set.StringVarP(&r.method, "request", "X", "", "")
		set.StringVarP(&r.body, "data", "d", "", "")
		set.Float64VarP(&r.seconds, "max-time", "m", 0, "")
		set.Float64Var(&r.connect, "connect-timeout", 0, "")
		set.StringVarP(&r.file, "output", "o", "-", "")
	case "wget":
		r.strict = true
		ignored("quiet", "q")
		set.BoolVar(&r.insecure, "no-check-certificate", false, "")
		set.StringVar(&r.body, "post-data", "", "")
		set.Float64VarP(&r.seconds, "timeout", "T", 0, "")
		set.StringVarP(&r.file, "output-document", "O", "index.html", "")
	default:
		return nil, fmt.Errorf("called as %q; want curl, wget or nmeter", name)
	}
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() != 1 {
		return nil, fmt.Errorf("want one address, got %q", set.Args())
	}
	if r.url = set.Arg(0); !strings.Contains(r.url, "://") {
		r.url = "http://" + r.url
	}
	if r.method == "" {
		r.method = http.MethodGet
		if set.Changed("data") || set.Changed("post-data") {
			r.method = http.MethodPost
		}
	}
	return r, nil
}

func (r *request) do(out io.Writer) (err error) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	client := &http.Client{Timeout: seconds(r.seconds), Transport: &http.Transport{
		DialContext:     (&net.Dialer{Timeout: seconds(r.connect)}).DialContext,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: r.insecure},
	}}
	ask, err := http.NewRequest(r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		return err
	}
	if r.method == http.MethodPost {
		ask.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := client.Do(ask)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if r.strict && answer.StatusCode >= 400 {
		return fmt.Errorf("%s returned %s", r.url, answer.Status)
	}
	if r.file != "-" {
		file, err := os.Create(r.file)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	_, err = io.Copy(out, answer.Body)
	return err
}
