// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Names of the key pairs and their files.
const (
	certCA            = "ca"
	certAPIServer     = "apiserver"
	certAdmin         = "admin"
	certNode          = "node"
	certKubelet       = "kubelet"
	certKubeletClient = "apiserver-kubelet-client"
	keyServiceAccount = "service-account"
)

// certLife is the validity of certificates, longer than any node lives.
const certLife = 365 * 24 * time.Hour

// pki creates the node's certificate authority and every certificate under it, and writes them to the node's directory. That
// includes the authority's key, readable by root only, which is removed with the node.
type pki struct {
	paths paths
	now   time.Time
	ca    *x509.Certificate
	key   *ecdsa.PrivateKey
}

func writePKI(p paths, node string, now time.Time) error {
	k := &pki{paths: p, now: now}
	if err := k.issue(certCA, &x509.Certificate{
		Subject: pkix.Name{CommonName: "kgrace node " + node}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}); err != nil {
		return err
	}
	server := func(cn string, names []string, ips ...string) *x509.Certificate {
		c := &x509.Certificate{Subject: pkix.Name{CommonName: cn}, DNSNames: names, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
		for _, ip := range ips {
			c.IPAddresses = append(c.IPAddresses, net.ParseIP(ip))
		}
		return c
	}
	client := func(cn string, groups ...string) *x509.Certificate {
		return &x509.Certificate{Subject: pkix.Name{CommonName: cn, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	}
	for name, template := range map[string]*x509.Certificate{
		certAPIServer: server("kube-apiserver", []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
			"127.0.0.1", nodeIP, serviceIP),
		certKubelet:       server("system:node:"+node, []string{node}, nodeIP, "127.0.0.1"),
		certAdmin:         client("kgrace", "system:masters"),
		certKubeletClient: client("kube-apiserver-kubelet-client", "system:masters"),
		certNode:          client("system:node:"+node, "system:nodes"),
	} {
		template.KeyUsage = x509.KeyUsageDigitalSignature
		if err := k.issue(name, template); err != nil {
			return err
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return k.writeKey(keyServiceAccount, key)
}

// issue creates a key and a certificate signed by the authority; the first certificate issued is the authority's own.
func (k *pki) issue(name string, template *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	template.SerialNumber = serial
	// An hour back, in case the clock jumps while the node lives.
	template.NotBefore, template.NotAfter = k.now.Add(-time.Hour), k.now.Add(certLife)
	parent, signer := k.ca, k.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return err
	}
	if k.ca == nil {
		if k.ca, err = x509.ParseCertificate(der); err != nil {
			return err
		}
		k.key = key
	}
	if err := os.WriteFile(k.paths.cert(name), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return err
	}
	return k.writeKey(name, key)
}

func (k *pki) writeKey(name string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key) // the only form that every Kubernetes program reads
	if err != nil {
		return err
	}
	return os.WriteFile(k.paths.key(name), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// writeKubeconfig writes a kubeconfig with embedded certificates, so that it can be copied elsewhere.
func writeKubeconfig(p paths, file, cert, server, node string) error {
	config := api.NewConfig()
	var cluster api.Cluster
	var user api.AuthInfo
	cluster.Server = server
	for _, read := range []struct {
		into *[]byte
		from string
	}{
		{&cluster.CertificateAuthorityData, p.cert(certCA)},
		{&user.ClientCertificateData, p.cert(cert)},
		{&user.ClientKeyData, p.key(cert)},
	} {
		data, err := os.ReadFile(read.from)
		if err != nil {
			return err
		}
		*read.into = data
	}
	name := "kgrace-" + node
	config.Clusters[name] = &cluster
	config.AuthInfos[name] = &user
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, file)
}
