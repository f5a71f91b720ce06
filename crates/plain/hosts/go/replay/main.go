// Command replay sends the module the messages that Node's host sent, and compares every byte of the answers:
// replay MODULE TRANSCRIPT.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"toolshape"
)

func main() {
	failed, err := run(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, file, transcript string) (int, error) {
	said, err := os.ReadFile(transcript)
	if err != nil {
		return 0, err
	}
	shapes, err := toolshape.Open(ctx, file)
	if err != nil {
		return 0, err
	}
	defer shapes.Close(ctx)
	passed, failed := 0, 0
	for len(said) > 0 {
		asked, expected := next(&said), next(&said)
		came, err := shapes.Send(ctx, asked...)
		if err != nil {
			return failed, err
		}
		if bytes.Equal(bytes.Join(came, []byte{0}), bytes.Join(expected, []byte{0})) {
			passed++
			continue
		}
		failed++
		fmt.Printf("%.300s\n  is answered by %.300s\n  instead of    %.300s\n", asked[0], came[0], expected[0])
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	return failed, nil
}

// next takes a message from the transcript: its parts.
func next(said *[]byte) [][]byte {
	number := func() uint32 {
		number := binary.LittleEndian.Uint32(*said)
		*said = (*said)[4:]
		return number
	}
	sizes := make([]uint32, number())
	for at := range sizes {
		sizes[at] = number()
	}
	parts := make([][]byte, len(sizes))
	for at, size := range sizes {
		parts[at], *said = (*said)[:size], (*said)[size:]
	}
	return parts
}
