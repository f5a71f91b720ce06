package toolshape

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Memory is a store in this process. What is older than TTL is forgotten, and the oldest first where Bytes are exceeded.
type Memory struct {
	TTL   time.Duration
	Bytes int

	lock   sync.Mutex
	values map[string]kept
	order  []string
	bytes  int
}

type kept struct {
	value string
	until time.Time
}

// NewMemory returns a store of an hour and 128 MiB.
func NewMemory() *Memory { return &Memory{TTL: time.Hour, Bytes: 128 << 20} }

func (m *Memory) Get(_ context.Context, key string) (string, bool, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	found, isThere := m.values[key]
	if !isThere || time.Now().After(found.until) {
		return "", false, nil
	}
	return found.value, true, nil
}

func (m *Memory) Set(_ context.Context, key, value string) error {
	if len(value) > m.Bytes {
		return fmt.Errorf("the result has %d bytes, and the store takes %d", len(value), m.Bytes)
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.values == nil {
		m.values = map[string]kept{}
	}
	m.forget(key)
	for m.bytes+len(value) > m.Bytes || len(m.order) > 0 && time.Now().After(m.values[m.order[0]].until) {
		m.forget(m.order[0])
	}
	m.values[key], m.bytes = kept{value, time.Now().Add(m.TTL)}, m.bytes+len(value)
	m.order = append(m.order, key)
	return nil
}

func (m *Memory) forget(key string) {
	found, isThere := m.values[key]
	if !isThere {
		return
	}
	delete(m.values, key)
	m.bytes -= len(found.value)
	for at, one := range m.order {
		if one == key {
			m.order = append(m.order[:at], m.order[at+1:]...)
			return
		}
	}
}
