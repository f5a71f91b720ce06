// Package toolshape runs toolshape's plain module in wazero, and puts its relay around a server over stdio.
package toolshape

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Toolshape is one instance of the module. Its calls run one after the other.
type Toolshape struct {
	lock                    sync.Mutex
	runtime                 wazero.Runtime
	memory                  api.Memory
	allocate, call, release api.Function
}

// New compiles the module and starts an instance.
func New(ctx context.Context, wasm []byte) (*Toolshape, error) {
	runtime := wazero.NewRuntime(ctx)
	module, err := runtime.Instantiate(ctx, wasm)
	if err != nil {
		return nil, errors.Join(err, runtime.Close(ctx))
	}
	return &Toolshape{
		runtime:  runtime,
		memory:   module.Memory(),
		allocate: module.ExportedFunction("toolshape_alloc"),
		call:     module.ExportedFunction("toolshape_call"),
		release:  module.ExportedFunction("toolshape_free"),
	}, nil
}

// Open is New of a file.
func Open(ctx context.Context, file string) (*Toolshape, error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return New(ctx, wasm)
}

// Close frees the instance and the compiled module.
func (t *Toolshape) Close(ctx context.Context) error { return t.runtime.Close(ctx) }

// Send sends a message, and returns the parts of the answer.
func (t *Toolshape) Send(ctx context.Context, parts ...[]byte) ([][]byte, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	message := binary.LittleEndian.AppendUint32(nil, uint32(len(parts)))
	for _, part := range parts {
		message = binary.LittleEndian.AppendUint32(message, uint32(len(part)))
	}
	for _, part := range parts {
		message = append(message, part...)
	}
	if len(message) > math.MaxInt32 {
		return nil, fmt.Errorf("a message of %d bytes: 2 GiB is the most", len(message))
	}
	address, err := one(t.allocate.Call(ctx, uint64(len(message))))
	if err != nil || address == 0 {
		return nil, errors.Join(err, errors.New("no memory for the message"))
	}
	t.memory.Write(address, message)
	answer, err := one(t.call.Call(ctx, uint64(address)))
	if err != nil {
		return nil, err
	}
	count, _ := t.memory.ReadUint32Le(answer)
	came, at := make([][]byte, count), answer+4+4*count
	for nth := range came {
		size, _ := t.memory.ReadUint32Le(answer + 4 + 4*uint32(nth))
		part, isThere := t.memory.Read(at, size)
		if !isThere {
			return nil, errors.New("the answer ends before its parts do")
		}
		came[nth], at = append([]byte(nil), part...), at+size
	}
	_, err = t.release.Call(ctx, uint64(answer))
	return came, err
}

func one(results []uint64, err error) (uint32, error) {
	if err != nil {
		return 0, err
	}
	return uint32(results[0]), nil
}

// Error is an error of the core, such as an invalid policy.
type Error struct{ Code, Message, Path string }

func (e *Error) Error() string { return e.Message }

// Call calls a method. members name parts by their numbers, from 1, as the result names those of the answer.
func (t *Toolshape) Call(ctx context.Context, method string, members map[string]any, parts ...[]byte) (json.RawMessage, [][]byte, error) {
	request := map[string]any{"method": method}
	for name, value := range members {
		request[name] = value
	}
	text, err := json.Marshal(request)
	if err != nil {
		return nil, nil, err
	}
	came, err := t.Send(ctx, append([][]byte{text}, parts...)...)
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		Result json.RawMessage
		Error  *Error
	}
	if err := json.Unmarshal(came[0], &answer); err != nil {
		return nil, nil, err
	}
	if answer.Error != nil {
		return nil, nil, answer.Error
	}
	return answer.Result, came, nil
}
