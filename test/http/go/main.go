// Follows a transparency log over HTTP with Go's golang.org/x/mod/sumdb: opens the checkpoint by the verifier key, reads
// all entries, and proves each under the root, from tiles that sumdb itself verifies.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run main.go URL VERIFIER
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type log string

func (base log) get(path string) ([]byte, error) {
	response, err := http.Get(string(base) + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

// sumdb's own paths name the height of tiles, which is always 8 in C2SP tlog-tiles.
func (base log) tile(tile tlog.Tile) ([]byte, error) {
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	return base.get("/" + strings.Replace(path, "tile/8/", "tile/", 1))
}

func (base log) Height() int { return height }

func (base log) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

func (base log) ReadTiles(tiles []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range tiles {
		bytes, err := base.tile(tile)
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (base log) tree(verifierKey string) tlog.Tree {
	verifier, err := note.NewVerifier(verifierKey)
	must(err)
	signed, err := base.get("/checkpoint")
	must(err)
	opened, err := note.Open(signed, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree
}

func main() {
	base := log(os.Args[1])
	tree := base.tree(os.Args[2])
	hashes := tlog.TileHashReader(tree, base)
	for first := int64(0); first < tree.N; first += 1 << height {
		width := tree.N - first
		if width > 1<<height {
			width = 1 << height
		}
		entries, err := base.tile(tlog.Tile{H: height, L: -1, N: first >> height, W: int(width)})
		must(err)
		for index := first; index < first+width; index++ {
			length := binary.BigEndian.Uint16(entries)
			record := entries[2 : 2+length]
			entries = entries[2+length:]
			proof, err := tlog.ProveRecord(tree.N, index, hashes)
			must(err)
			must(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(record)))
		}
	}
	fmt.Println(tree.N)
}
