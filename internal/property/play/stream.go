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

package play

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/kgrace/kgrace/internal/property"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/verdict"
)

// suiteStream is a running suite and the stream of the scenarios that it has played.
type suiteStream struct {
	cmd    *exec.Cmd
	arm    verdict.Arm
	config string
	pipe   *os.File
	decode *json.Decoder
	said   bytes.Buffer
	waited bool
}

// startStream starts a suite. name distinguishes it from another one of the same arm.
func startStream(ctx context.Context, suite string, c property.Config, name string) (*suiteStream, error) {
	s := &suiteStream{arm: c.Arm, config: filepath.Join(c.Artifacts, c.File("config-"+name, "json"))}
	if err := c.Write(s.config); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	s.pipe, s.decode = read, json.NewDecoder(bufio.NewReaderSize(read, 1<<20))
	s.cmd = suiteCommand(ctx, suite, c, s.config)
	s.cmd.Env = append(s.cmd.Env, simbuild.Steady)
	s.cmd.Stdout, s.cmd.Stderr = &s.said, &s.said
	s.cmd.ExtraFiles = []*os.File{write} // the first of them is property.StreamFD
	if err := s.cmd.Start(); err != nil {
		read.Close()
		return nil, err
	}
	return s, nil
}

// next returns the next scenario.
func (s *suiteStream) next() (property.Played, error) {
	var p property.Played
	err := s.decode.Decode(&p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.Join(errors.New("it ended too early"), s.wait())
	}
	if err != nil {
		return p, fmt.Errorf("the suite of %s: %w", s.arm, err)
	}
	return p, nil
}

// wait waits until the suite has ended.
func (s *suiteStream) wait() error {
	s.waited = true
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the suite of %s: %w\n%s", s.arm, err, s.said.Bytes())
	}
	return nil
}

// end kills the suite if it has not ended.
func (s *suiteStream) end() {
	s.pipe.Close()
	if !s.waited {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	_ = os.Remove(s.config)
}
