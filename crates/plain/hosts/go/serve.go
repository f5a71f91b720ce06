package toolshape

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// Store keeps whole results. Its functions run one after the other, each at most five seconds.
type Store interface {
	Get(ctx context.Context, key string) (value string, isThere bool, err error)
	Set(ctx context.Context, key, value string) error
}

// Options of Serve.
type Options struct {
	// Policy has the options of the relay, such as "maxTokens" and "tools".
	Policy map[string]any
	// Store keeps whole results; nil for nowhere.
	Store Store
	// Log gets a line about what the relay notices.
	Log func(line string)
	// Receipt gets the receipt of each shaped result, as JSON.
	Receipt func(receipt json.RawMessage)
}

const storeTimeout = 5 * time.Second

// Serve runs a server whose messages are lines, such as one of an MCP SDK over stdio, and shapes the results of its tools. It
// reads the client's messages from in and writes to out; server gets its own in and out. Serve returns when the server does.
func (t *Toolshape) Serve(ctx context.Context, options Options, in io.Reader, out io.Writer, server func(in io.Reader, out io.Writer) error) error {
	policy := map[string]any{"store": options.Store != nil}
	for name, value := range options.Policy {
		policy[name] = value
	}
	number, _, err := t.Call(ctx, "relay", map[string]any{"options": policy})
	if err != nil {
		return err
	}
	defer t.Call(ctx, "forgetRelay", map[string]any{"relay": number})
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	relay := &relay{t: t, number: number, options: options, toClient: newQueue(out), toServer: newQueue(toServer)}

	go func() {
		if err := relay.pump(ctx, in, true); err != nil {
			serverOut.CloseWithError(err)
		}
		relay.toServer.close()
		toServer.Close()
	}()
	go func() {
		err := server(serverIn, serverOut)
		serverIn.Close()
		serverOut.CloseWithError(err)
	}()
	err = relay.pump(ctx, fromServer, false)
	reason := "the server has ended"
	if err != nil {
		reason += ": " + err.Error()
	}
	err = errors.Join(err, relay.step(ctx, nil, "relayEnded", map[string]any{"reason": reason}))
	return errors.Join(err, relay.toClient.close())
}

// relay is one conversation. What the module says is carried out in order, and written by the queues, so that neither side
// waits for the other.
type relay struct {
	lock               sync.Mutex
	t                  *Toolshape
	number             json.RawMessage
	options            Options
	toClient, toServer *queue
}

// pump hands on the lines of one side until it ends.
func (r *relay) pump(ctx context.Context, from io.Reader, isClient bool) error {
	lines := bufio.NewReaderSize(from, 64*1024)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			now := time.Now().Unix()
			members := map[string]any{"lines": 1, "isClient": isClient, "now": now}
			if err := r.step(ctx, line, "relayLines", members); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// action is one thing to do; texts are numbers of parts.
type action struct {
	Pass               *[2]int
	Log                *string
	ToClient, ToServer *int
	Read               *struct {
		Number int
		Key    string
	}
	Write *struct {
		Number int
		Key    string
		Value  int
	}
	Shaped json.RawMessage
}

// step calls a method of the relay for a line, or for none, and carries out its answer and what follows from it.
func (r *relay) step(ctx context.Context, line []byte, method string, members map[string]any) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	to := r.toServer
	if members["isClient"] == false {
		to = r.toClient
	}
	return r.follow(ctx, line, to, method, members, line)
}

func (r *relay) follow(ctx context.Context, line []byte, to *queue, method string, members map[string]any, parts ...[]byte) error {
	members["relay"] = r.number
	result, came, err := r.t.Call(ctx, method, members, parts...)
	if err != nil {
		return err
	}
	var actions []action
	if err := json.Unmarshal(result, &actions); err != nil {
		return err
	}
	for _, one := range actions {
		switch {
		case one.Pass != nil:
			to.write(line[one.Pass[0]:one.Pass[1]])
		case one.ToClient != nil:
			r.toClient.write(append(came[*one.ToClient], '\n'))
		case one.ToServer != nil:
			r.toServer.write(append(came[*one.ToServer], '\n'))
		case one.Log != nil && r.options.Log != nil:
			r.options.Log(*one.Log)
		case one.Shaped != nil && r.options.Receipt != nil:
			r.options.Receipt(one.Shaped)
		case one.Read != nil || one.Write != nil:
			heard, parts := r.ask(ctx, one, came)
			if err := r.follow(ctx, line, to, "relayHeard", heard, parts...); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask asks the store, and returns what the relay hears of it.
func (r *relay) ask(ctx context.Context, one action, came [][]byte) (map[string]any, [][]byte) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	heard, parts := map[string]any{}, [][]byte(nil)
	var err error
	if one.Write != nil {
		heard["number"], heard["wasWritten"] = one.Write.Number, true
		err = r.options.Store.Set(ctx, one.Write.Key, string(came[one.Write.Value]))
	} else {
		heard["number"] = one.Read.Number
		value, isThere, failure := r.options.Store.Get(ctx, one.Read.Key)
		if err = failure; err == nil && isThere {
			heard["value"], parts = 1, [][]byte{[]byte(value)}
		}
	}
	if err != nil {
		return map[string]any{"number": heard["number"], "failure": err.Error()}, nil
	}
	return heard, parts
}

// queue writes in order, and makes nobody wait. What comes after its end, or after a write that failed, is dropped.
type queue struct {
	lock    sync.Mutex
	changed *sync.Cond
	waiting [][]byte
	isOver  bool
	ended   chan error
}

func newQueue(to io.Writer) *queue {
	q := &queue{ended: make(chan error, 1)}
	q.changed = sync.NewCond(&q.lock)
	go q.run(to)
	return q
}

func (q *queue) run(to io.Writer) {
	for {
		q.lock.Lock()
		for len(q.waiting) == 0 && !q.isOver {
			q.changed.Wait()
		}
		waiting := q.waiting
		q.waiting = nil
		q.lock.Unlock()
		if len(waiting) == 0 {
			q.ended <- nil
			return
		}
		for _, bytes := range waiting {
			if _, err := to.Write(bytes); err != nil {
				q.lock.Lock()
				q.isOver, q.waiting = true, nil
				q.lock.Unlock()
				q.ended <- err
				return
			}
		}
	}
}

func (q *queue) write(bytes []byte) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if !q.isOver {
		q.waiting = append(q.waiting, bytes)
		q.changed.Signal()
	}
}

// close waits until all is written.
func (q *queue) close() error {
	q.lock.Lock()
	q.isOver = true
	q.changed.Signal()
	q.lock.Unlock()
	return <-q.ended
}
