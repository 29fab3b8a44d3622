// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
)

// A stamp is a file beside something that was made; it records what it was made from.

// Hash returns a key for a list of inputs.
func Hash(inputs ...any) string {
	h := sha256.New()
	for _, in := range inputs {
		s := fmt.Sprint(in)
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ReadStamp reads a stamp and reports whether it is one.
func ReadStamp(file string, into any) bool {
	data, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(data, into) == nil
}

// WriteStamp writes a stamp, as indented JSON, atomically.
func WriteStamp(file string, s any) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, append(data, '\n'), 0o644)
}
