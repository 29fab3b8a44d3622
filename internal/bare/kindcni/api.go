// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// node is the part of a v1.Node that is read.
type node struct {
	Metadata struct {
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Spec struct {
		PodCIDRs []string `json:"podCIDRs"`
	} `json:"spec"`
	Status struct {
		Addresses []struct {
			Type    string `json:"type"`
			Address string `json:"address"`
		} `json:"addresses"`
	} `json:"status"`
}

// addresses returns the node's internal addresses.
func (n *node) addresses() []string {
	var all []string
	for _, a := range n.Status.Addresses {
		if a.Type == "InternalIP" {
			all = append(all, a.Address)
		}
	}
	return all
}

type client struct {
	base string
	http *http.Client
	dir  string // of the service account
}

func inCluster() (*client, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, fmt.Errorf("KUBERNETES_SERVICE_HOST and _PORT are not set: not in a pod")
	}
	ca, err := os.ReadFile(filepath.Join(serviceAccount, "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s/ca.crt holds no certificate", serviceAccount)
	}
	return &client{
		base: "https://" + net.JoinHostPort(host, port),
		http: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}},
		dir:  serviceAccount,
	}, nil
}

// watchNodes calls changed with all nodes at first and after every change, until the watch ends, as watches do after some time.
func (c *client) watchNodes(ctx context.Context, changed func(map[string]node) error) error {
	body, err := c.get(ctx, "/api/v1/nodes")
	if err != nil {
		return err
	}
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []node `json:"items"`
	}
	err = json.NewDecoder(body).Decode(&list)
	body.Close()
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	nodes := map[string]node{}
	for _, n := range list.Items {
		nodes[n.Metadata.Name] = n
	}
	if err := changed(nodes); err != nil {
		return err
	}
	body, err = c.get(ctx, "/api/v1/nodes?watch=true&timeoutSeconds=600&resourceVersion="+list.Metadata.ResourceVersion)
	if err != nil {
		return err
	}
	defer body.Close()
	for d := json.NewDecoder(bufio.NewReader(body)); ; {
		var event struct {
			Type   string `json:"type"`
			Object node   `json:"object"`
		}
		if err := d.Decode(&event); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("watch of nodes: %w", err)
		}
		switch event.Type {
		case "ADDED", "MODIFIED":
			nodes[event.Object.Metadata.Name] = event.Object
		case "DELETED":
			delete(nodes, event.Object.Metadata.Name)
		case "ERROR":
			return nil // usually too old: list again
		default:
			continue
		}
		if err := changed(nodes); err != nil {
			return err
		}
	}
}

func (c *client) get(ctx context.Context, path string) (io.ReadCloser, error) {
	// The token is renewed in its file.
	token, err := os.ReadFile(filepath.Join(c.dir, "token"))
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+string(token))
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
		resp.Body.Close()
		return nil, fmt.Errorf("GET %s: %s: %s", path, resp.Status, said)
	}
	return resp.Body, nil
}
