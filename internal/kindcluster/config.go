// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/kgrace/kgrace/internal/history"
)

// startTimeout bounds Up. A cluster of two nodes is Ready in about half a minute on two idle cores; the rest is for busy
// machines.
const startTimeout = 6 * time.Minute

// Config describes a cluster.
type Config struct {
	// Name of the cluster, unique on the machine; its nodes are NAME-control-plane and NAME-worker.
	Name string
	// Image of both nodes: a name that the Docker engine has, or can pull.
	Image string
	// Programs are our own programs for the worker.
	Programs
	// LinesSocket is the name of the line server's socket in LinesDir.
	LinesSocket string
	// Record receives the worker's runtime calls and the lines of containers.
	Record history.Sink
	// Logs is the directory for the nodes' logs if Up fails after nodes have started; "" discards them.
	Logs string
	// Log receives progress, one line per step; nil discards it.
	Log io.Writer
}

// Programs are static programs, built by Build: Recorder is cmd/crirecord, Beside is cmd/beside, Actor is cmd/actor.
type Programs struct {
	Recorder string `json:"recorder"`
	Beside   string `json:"beside"`
	Actor    string `json:"actor"`
}

// clusterName limits node names to a label, and names to characters without a meaning in shells and regular expressions.
var clusterName = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$`)

// CheckName returns an error if name is not a valid cluster name.
func CheckName(name string) error {
	if !clusterName.MatchString(name) {
		return fmt.Errorf("cluster name %q: want at most 40 lower case letters, digits and '-', a letter first", name)
	}
	return nil
}

func (c *Config) complete() error {
	if err := CheckName(c.Name); err != nil {
		return err
	}
	if c.Image == "" {
		return errors.New("no node image given (Config.Image)")
	}
	if c.LinesSocket == "" || c.Record == nil {
		return errors.New("nothing to record into (Config.LinesSocket, Config.Record)")
	}
	for what, file := range map[string]*string{
		"the recorder (Config.Recorder)":       &c.Recorder,
		"the control (Config.Beside)":          &c.Beside,
		"the containers' actor (Config.Actor)": &c.Actor,
	} {
		path, err := filepath.Abs(*file)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		*file = path
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	return nil
}

func (c *Config) logf(format string, args ...any) {
	fmt.Fprintf(c.Log, "cluster %s: "+format+"\n", append([]any{c.Name}, args...)...)
}
