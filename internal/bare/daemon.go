// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kgrace/kgrace/internal/tool"
)

const (
	socket  = "/var/run/docker.sock"
	logFile = "dockerd.log"
	// startWait bounds the time until dockerd reports that it is ready; stopWait bounds the end of its containers and its own.
	startWait = time.Minute
	stopWait  = time.Minute
)

// writeConfig writes dockerd's configuration, so that a configuration in /etc/docker has no effect.
func writeConfig(dir string, runcless bool) error {
	config := map[string]any{"data-root": filepath.Join(dir, "data"), "hosts": []string{"unix://" + socket}}
	if runcless {
		config["default-runtime"] = "runcless"
		config["runtimes"] = map[string]any{"runcless": map[string]any{"path": filepath.Join(dir, "runcless")}}
	}
	return tool.WriteJSON(filepath.Join(dir, "daemon.json"), config)
}

// startDaemon starts dockerd in a session of its own and waits for its readiness notification, as systemd does.
func (s *State) startDaemon(ctx context.Context) error {
	path, err := lookAdmin("dockerd")
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, logFile))
	if err != nil {
		return err
	}
	defer log.Close()
	tmp, err := os.MkdirTemp("", "kgrace-notify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(tmp, "s"), Net: "unixgram"})
	if err != nil {
		return err
	}
	defer notify.Close()
	// Not CommandContext: dockerd outlives this call and this process.
	cmd := exec.Command(path, "--config-file", filepath.Join(s.dir, "daemon.json"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, log, log
	cmd.Env = append(adminEnv(), "NOTIFY_SOCKET="+filepath.Join(tmp, "s"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.PID, s.Started = cmd.Process.Pid, startOf(cmd.Process.Pid)
	if err := s.save(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		notify.Close()
	}()
	stop := context.AfterFunc(ctx, func() { notify.Close() })
	defer stop()
	if err := notify.SetReadDeadline(time.Now().Add(startWait)); err != nil {
		return err
	}
	for buf := make([]byte, 4096); ; {
		n, err := notify.Read(buf)
		switch {
		case err == nil && bytes.Contains(buf[:n], []byte("READY=1")):
			return nil
		case err == nil:
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("dockerd was not ready within %s; the end of its log:\n%s", startWait, s.logEnd())
		}
		err = fmt.Errorf("dockerd ended: %v; the end of its log:\n%s", <-ended, s.logEnd())
		s.PID = 0 // there is nothing to stop
		return err
	}
}

func (s *State) logEnd() string {
	data, err := os.ReadFile(filepath.Join(s.dir, logFile))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}
