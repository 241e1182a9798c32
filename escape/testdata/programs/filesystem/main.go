// Package main gives the library objects of which methods return others that it uses.
package main

import (
	"io/fs"
	"os"
	"time"
)

// tree is a file system of which the library calls methods that it finds in what others return.
type tree struct{ opened, read, named, listed int }

func (t *tree) Open(string) (fs.File, error) {
	t.opened++ // want unprotected
	return &leaf{t}, nil
}

func (t *tree) ReadDir(string) ([]fs.DirEntry, error) {
	t.listed++ // want unprotected, unshared
	return []fs.DirEntry{&leaf{t}}, nil
}

type leaf struct{ tree *tree }

func (l *leaf) Read([]byte) (int, error) {
	l.tree.read++ // want read-only, unprotected, unshared
	return 0, nil
}

func (l *leaf) Name() string {
	l.tree.named++ // want read-only, unprotected, unshared
	return ""
}

func (l *leaf) Stat() (fs.FileInfo, error) { return l, nil }
func (l *leaf) Info() (fs.FileInfo, error) { return l, nil }
func (l *leaf) Size() int64                { return 0 }
func (l *leaf) Mode() fs.FileMode          { return 0 }
func (l *leaf) Type() fs.FileMode          { return 0 }
func (l *leaf) ModTime() time.Time         { return time.Time{} }
func (l *leaf) IsDir() bool                { return false }
func (l *leaf) Sys() any                   { return nil }
func (l *leaf) Close() error               { return nil }

// copied is read by two goroutines.
func copied() {
	t := &tree{}
	go func() { os.CopyFS("", t) }()
	os.CopyFS("", t)
	own := &tree{}
	own.ReadDir("")
	l := &leaf{own}
	l.Read(nil)
	l.Name()
}

func main() { copied() }
