// Makes vectors with Go's golang.org/x/mod/sumdb, and checks with it what the service has made.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run main.go vectors SEED > vectors.json
//	GO111MODULE=off GOPATH=/usr/share/gocode go run main.go check < made.json
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type (
	root struct {
		Size int64  `json:"size"`
		Root string `json:"root"`
	}
	inclusion struct {
		Size   int64    `json:"size"`
		Index  int64    `json:"index"`
		Hashes []string `json:"hashes"`
	}
	consistency struct {
		OldSize int64    `json:"oldSize"`
		Size    int64    `json:"size"`
		Hashes  []string `json:"hashes"`
	}
	path struct {
		Level int    `json:"level"` // -1: an entry bundle
		Index int64  `json:"index"`
		Width int    `json:"width"`
		Path  string `json:"path"`
	}
	signed struct {
		Signer   string `json:"signer"`
		Verifier string `json:"verifier"`
		Text     string `json:"text"`
		Note     string `json:"note"`
		Both     string `json:"both"` // signed by a second key, too
	}
	vectors struct {
		Seed        string        `json:"seed"`
		Roots       []root        `json:"roots"`
		Levels      []string      `json:"levels"` // SHA-256 of all tiles of a level of the largest tree, from 0 up
		Inclusion   []inclusion   `json:"inclusion"`
		Consistency []consistency `json:"consistency"`
		Paths       []path        `json:"paths"`
		Notes       []signed      `json:"notes"`
	}
	made struct {
		Seed        string            `json:"seed"`
		Head        root              `json:"head"`
		Tiles       map[string][]byte `json:"tiles"`
		Bundles     map[string][]byte `json:"bundles"`
		Inclusion   []inclusion       `json:"inclusion"`
		Consistency []consistency     `json:"consistency"`
		Signer      string            `json:"signer"`
		Verifier    string            `json:"verifier"`
		Checkpoint  string            `json:"checkpoint"`
		Proofs      []string          `json:"proofs"`
	}
	hashes []tlog.Hash
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (stored hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	read := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		read[i] = stored[x]
	}
	return read, nil
}

func leaf(seed string, i int64) []byte {
	data := sha256.Sum256([]byte(fmt.Sprintf("%s/%d", seed, i)))
	return data[:]
}

func grow(seed string, size int64) hashes {
	var stored hashes
	for i := int64(0); i < size; i++ {
		more, err := tlog.StoredHashes(i, leaf(seed, i), stored)
		must(err)
		stored = append(stored, more...)
	}
	return stored
}

func texts(proof []tlog.Hash) []string {
	list := []string{}
	for _, h := range proof {
		list = append(list, h.String())
	}
	return list
}

func parse(list []string) []tlog.Hash {
	var parsed []tlog.Hash
	for _, text := range list {
		h, err := tlog.ParseHash(text)
		must(err)
		parsed = append(parsed, h)
	}
	return parsed
}

// Go names the height of its tiles, which C2SP fixes, and has another word for the entries.
func c2spPath(t tlog.Tile) string {
	p := strings.Replace(t.Path(), "tile/8/", "tile/", 1)
	return strings.Replace(p, "tile/data/", "tile/entries/", 1)
}

func makeVectors(seed string) vectors {
	const large = 70000
	stored := grow(seed, large)
	v := vectors{Seed: seed}
	sizes := []int64{127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 65535, 65536, 65537, large}
	for size := int64(64); size > 0; size-- {
		sizes = append([]int64{size}, sizes...)
	}
	for _, size := range sizes {
		h, err := tlog.TreeHash(size, stored)
		must(err)
		v.Roots = append(v.Roots, root{size, h.String()})
	}
	for level := 0; large>>(height*level) > 0; level++ {
		all := sha256.New()
		count := int64(large >> (height * level))
		for n := int64(0); n<<height < count; n++ {
			t := tlog.Tile{H: height, L: level, N: n, W: 1 << height}
			if count-n<<height < 1<<height {
				t.W = int(count - n<<height)
			}
			data, err := tlog.ReadTileData(t, stored)
			must(err)
			all.Write(data)
		}
		v.Levels = append(v.Levels, fmt.Sprintf("%x", all.Sum(nil)))
	}
	for _, size := range []int64{1, 2, 3, 7, 8, 255, 256, 257, 300, 65536, 65537, large} {
		for _, index := range []int64{0, size / 3, size - 1} {
			proof, err := tlog.ProveRecord(size, index, stored)
			must(err)
			v.Inclusion = append(v.Inclusion, inclusion{size, index, texts(proof)})
		}
		for _, old := range []int64{1, size/3 + 1, (size + 1) / 2, size} {
			proof, err := tlog.ProveTree(size, old, stored)
			must(err)
			v.Consistency = append(v.Consistency, consistency{old, size, texts(proof)})
		}
	}
	for _, level := range []int{-1, 0, 1, 6} {
		for _, index := range []int64{0, 7, 999, 1000, 1234067, 999999999, 1000000000, 1<<53 - 1} {
			for _, width := range []int{1, 255, 256} {
				t := tlog.Tile{H: height, L: level, N: index, W: width}
				v.Paths = append(v.Paths, path{level, index, width, c2spPath(t)})
			}
		}
	}
	for i, text := range []string{"one line\n", "two\nlines\n", "an empty\n\nline, and ünïcödé: —\n"} {
		v.Notes = append(v.Notes, makeNote(seed, i, text))
	}
	return v
}

func makeNote(seed string, i int, text string) signed {
	skey, vkey, err := note.GenerateKey(bytes.NewReader(leaf(seed+"/key", int64(i))), "log.example/"+strconv.Itoa(i))
	must(err)
	signer, err := note.NewSigner(skey)
	must(err)
	one, err := note.Sign(&note.Note{Text: text}, signer)
	must(err)
	otherKey, _, err := note.GenerateKey(bytes.NewReader(leaf(seed+"/other", int64(i))), "witness.example")
	must(err)
	other, err := note.NewSigner(otherKey)
	must(err)
	both, err := note.Sign(&note.Note{Text: text}, other, signer)
	must(err)
	return signed{skey, vkey, text, string(one), string(both)}
}

type tiles map[string][]byte

func (tiles) Height() int { return height }

func (t tiles) ReadTiles(list []tlog.Tile) (data [][]byte, err error) {
	for _, one := range list {
		read, ok := t[c2spPath(one)]
		if !ok {
			return nil, errors.New("no tile " + c2spPath(one))
		}
		data = append(data, read)
	}
	return data, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func openCheckpoint(text string, verifier note.Verifier) tlog.Tree {
	opened, err := note.Open([]byte(text), note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		must(errors.New("no checkpoint of this log"))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	return tlog.Tree{N: size, Hash: parse(lines[2:3])[0]}
}

func same(what string, a, b interface{}) {
	if fmt.Sprint(a) != fmt.Sprint(b) {
		must(fmt.Errorf("%s: %v, but Go says %v", what, a, b))
	}
}

func checkTree(m made, stored hashes) tlog.Tree {
	h, err := tlog.TreeHash(m.Head.Size, stored)
	must(err)
	same("root", m.Head.Root, h)
	tree := tlog.Tree{N: m.Head.Size, Hash: h}
	reader := tlog.TileHashReader(tree, tiles(m.Tiles))
	for index := int64(0); index < tree.N; index += 1 + tree.N/50 {
		// fails where a tile does not lead to the root
		_, err := tlog.ProveRecord(tree.N, index, reader)
		must(err)
	}
	for i := range m.Inclusion {
		p := m.Inclusion[i]
		h, err := tlog.TreeHash(p.Size, stored)
		must(err)
		must(tlog.CheckRecord(parse(p.Hashes), p.Size, h, p.Index, tlog.RecordHash(leaf(m.Seed, p.Index))))
	}
	for i := range m.Consistency {
		p := m.Consistency[i]
		h, err := tlog.TreeHash(p.Size, stored)
		must(err)
		old, err := tlog.TreeHash(p.OldSize, stored)
		must(err)
		must(tlog.CheckTree(parse(p.Hashes), p.Size, h, p.OldSize, old))
	}
	return tree
}

func checkBundles(m made) {
	for name, data := range m.Bundles {
		t := m.Tiles[strings.Replace(name, "tile/entries/", "tile/0/", 1)]
		for ; len(data) > 0; t = t[tlog.HashSize:] {
			length := 2 + int(binary.BigEndian.Uint16(data))
			h := tlog.RecordHash(data[2:length])
			same(name, t[:tlog.HashSize], h[:])
			data = data[length:]
		}
		same("rest of "+name, len(t), 0)
	}
}

func checkNotes(m made, tree tlog.Tree) {
	verifier, err := note.NewVerifier(m.Verifier)
	must(err)
	same("checkpoint", openCheckpoint(m.Checkpoint, verifier), tree)
	signer, err := note.NewSigner(m.Signer)
	must(err)
	text := m.Checkpoint[:strings.LastIndex(m.Checkpoint, "\n\n")+1]
	again, err := note.Sign(&note.Note{Text: text}, signer)
	must(err)
	same("signed note", m.Checkpoint, string(again))
	for _, proof := range m.Proofs {
		end := strings.Index(proof, "\n\n")
		lines := strings.Split(proof[:end], "\n")
		same("format", lines[0], "c2sp.org/tlog-proof@v1")
		index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
		must(err)
		head := openCheckpoint(proof[end+2:], verifier)
		must(tlog.CheckRecord(parse(lines[2:]), head.N, head.Hash, index, tlog.RecordHash(leaf(m.Seed, index))))
	}
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "vectors" {
		out := json.NewEncoder(os.Stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", " ")
		must(out.Encode(makeVectors(os.Args[2])))
		return
	}
	input, err := io.ReadAll(os.Stdin)
	must(err)
	var m made
	must(json.Unmarshal(input, &m))
	tree := checkTree(m, grow(m.Seed, m.Head.Size))
	checkBundles(m)
	checkNotes(m, tree)
	fmt.Printf("checked %d tiles, %d bundles, %d proofs\n",
		len(m.Tiles), len(m.Bundles), len(m.Inclusion)+len(m.Consistency)+len(m.Proofs))
}
