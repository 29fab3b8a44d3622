/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

// Guest is one static program with the tools of Kubernetes' test images that Debian's busybox does not have, selected by the
// name it is called by: curl gets a URL, nmeter prints the time.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"time"
)

func main() {
	var err error
	switch name := path.Base(os.Args[0]); name {
	case "curl":
		err = get(os.Args[1:])
	case "nmeter":
		// Only ever called as `nmeter -d0 '%3t' | head -n1`.
		fmt.Println(time.Now().Format("15:04:05.000"))
	default:
		err = fmt.Errorf("called as %s; want curl or nmeter", name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
		os.Exit(1)
	}
}

func get(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one URL, got %q", args)
	}
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Get(args[0])
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}
