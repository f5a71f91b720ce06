package toolshape

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// start returns an instance of the module that the variable TOOLSHAPE_PLAIN names.
func start(t *testing.T) *Toolshape {
	t.Helper()
	file := os.Getenv("TOOLSHAPE_PLAIN")
	if file == "" {
		t.Fatal("TOOLSHAPE_PLAIN must be the path of the plain module")
	}
	shapes, err := Open(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shapes.Close(context.Background()) })
	return shapes
}

func TestWrongSizesAreErrorsAndNotTraps(t *testing.T) {
	shapes, ctx := start(t), context.Background()
	for _, size := range []uint64{1 << 31, 1<<32 - 1} {
		if address, err := one(shapes.allocate.Call(ctx, size)); err != nil || address != 0 {
			t.Errorf("%d bytes are at %d: %v", size, address, err)
		}
	}
	for _, numbers := range [][]uint32{{}, {0}, {1}, {1 << 31}, {1, 1 << 31}, {2, 1<<32 - 1, 1<<32 - 1}} {
		address, err := one(shapes.allocate.Call(ctx, uint64(4*len(numbers))))
		if err != nil {
			t.Fatal(err)
		}
		for at, number := range numbers {
			shapes.memory.WriteUint32Le(address+4*uint32(at), number)
		}
		for _, address := range []uint32{address, address + 1} {
			answer, err := one(shapes.call.Call(ctx, uint64(address)))
			if err != nil {
				t.Fatal(numbers, err)
			}
			text, _ := shapes.memory.Read(answer+8, 100)
			if !strings.Contains(string(text), "INVALID_CALL") {
				t.Errorf("%v is answered by %q", numbers, text)
			}
		}
	}
	sizes := []map[string]any{
		{"reads": "part", "call": map[string]any{}, "shaper": 1, "slots": 1e15},
		{"reads": "part", "call": map[string]any{}, "shaper": 1, "slots": 1, "given": []float64{1e15}, "texts": []int{1}},
		{"reads": "part", "call": map[string]any{}, "shaper": 1, "slots": 1, "given": []int{0}, "texts": []int{7}},
		{"reads": "part", "call": map[string]any{}, "shaper": 1e12},
	}
	if _, _, err := shapes.Call(ctx, "shaper", map[string]any{"policy": map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	for _, members := range sizes {
		_, _, err := shapes.Call(ctx, "read", members, []byte("text"))
		if ofCore := (*Error)(nil); err != nil && !errors.As(err, &ofCore) {
			t.Errorf("%v: %v", members, err)
		}
	}
	if result, _, err := shapes.Call(ctx, "countTokens", map[string]any{"text": 1, "encoding": "o200k_base"}, []byte("one two")); err != nil || string(result) != "2" {
		t.Errorf("two tokens are counted as %s: %v", result, err)
	}
}

// failing is a store that cannot be reached.
type failing struct{}

func (failing) Get(context.Context, string) (string, bool, error) {
	return "", false, errors.New("connection refused")
}
func (failing) Set(context.Context, string, string) error { return errors.New("connection refused") }

// client calls a server that runs behind the relay.
type client struct {
	t     *testing.T
	to    io.WriteCloser
	lines *bufio.Scanner
	last  int
	ended chan error
	runs  int
}

func connect(t *testing.T, options Options) *client {
	shapes := start(t)
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &client{t: t, to: to, lines: bufio.NewScanner(from), ended: make(chan error, 1)}
	c.lines.Buffer(nil, 1<<24)
	go func() {
		c.ended <- shapes.Serve(context.Background(), options, in, out, c.serve)
		out.Close()
	}()
	c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	return c
}

func (c *client) serve(in io.Reader, out io.Writer) error {
	rows := make([]string, 1000)
	for id := range rows {
		rows[id] = fmt.Sprintf(`{"id":%d,"name":"row %d"}`, id, id)
	}
	list, _ := json.Marshal("[" + strings.Join(rows, ",") + "]")
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var asked struct {
			ID     int
			Method string
			Params struct{ Name string }
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		result := `{}`
		switch asked.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"rows","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"rows","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			c.runs++
			if asked.Params.Name == "end" {
				return errors.New("out of order")
			}
			result = `{"content":[{"type":"text","text":` + string(list) + `}]}`
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", asked.ID, result)
	}
	return lines.Err()
}

// ask returns the answer to a request, as JSON.
func (c *client) ask(method, params string) string {
	c.t.Helper()
	c.last++
	fmt.Fprintf(c.to, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, method, params)
	if !c.lines.Scan() {
		c.t.Fatal("no answer to ", method, c.lines.Err())
	}
	return c.lines.Text()
}

// call returns the text of a tool's result.
func (c *client) call(name, arguments string) string {
	c.t.Helper()
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	line := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if err := json.Unmarshal([]byte(line), &answer); err != nil || len(answer.Result.Content) == 0 {
		c.t.Fatal(line, err)
	}
	return answer.Result.Content[0].Text
}

func TestAServerOverStdioIsShapedAndReadBack(t *testing.T) {
	receipts := 0
	count := func(json.RawMessage) { receipts++ }
	policy := map[string]any{"maxTokens": 500}
	c := connect(t, Options{Policy: policy, Store: NewMemory(), Receipt: count})
	if list := c.ask("tools/list", `{}`); !strings.Contains(list, `"name":"read_result_rows"`) {
		t.Fatal(list)
	}
	var page struct {
		TotalItems int
		NextCursor string
		Items      []json.RawMessage
	}
	text := c.call("rows", `{}`)
	end := strings.LastIndex(text, "}") + 1
	if err := json.Unmarshal([]byte(text[:end]), &page); err != nil || page.TotalItems != 1000 || page.NextCursor == "" {
		t.Fatal(text, err)
	}
	second := c.call("read_result_rows", fmt.Sprintf(`{"cursor":%q}`, page.NextCursor))
	if c.runs != 1 || !strings.Contains(second, fmt.Sprintf(`"id":%d,`, len(page.Items))) {
		t.Errorf("after %d runs: %s", c.runs, second)
	}
	handle := second[strings.Index(second, "toolshape://result/")+len("toolshape://result/"):][:16]
	answer := c.call("read_result_rows", fmt.Sprintf(`{"handle":%q,"sql":"SELECT count(*) AS n, max(id) AS most FROM %[1]s"}`, handle))
	if !strings.Contains(answer, "1000") || !strings.Contains(answer, "999") || receipts == 0 {
		t.Errorf("%d receipts, %s", receipts, answer)
	}
	c.to.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

func TestAStoreThatFailsLeavesAResultWithoutAHandle(t *testing.T) {
	c := connect(t, Options{Policy: map[string]any{"maxTokens": 500}, Store: failing{}})
	if text := c.call("rows", `{}`); strings.Contains(text, "toolshape://") || !strings.Contains(text, "1000") {
		t.Error(text)
	}
}

func TestAnEndedServerAnswersWhatIsOpen(t *testing.T) {
	c := connect(t, Options{})
	if line := c.ask("tools/call", `{"name":"end","arguments":{}}`); !strings.Contains(line, "out of order") {
		t.Error(line)
	}
	if err := <-c.ended; err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Error(err)
	}
}

func TestMemoryForgetsByAgeAndBytes(t *testing.T) {
	ctx, memory := context.Background(), &Memory{TTL: time.Hour, Bytes: 10}
	there := func(key string) bool {
		_, isThere, _ := memory.Get(ctx, key)
		return isThere
	}
	for _, key := range []string{"a", "b", "a", "c"} {
		if err := memory.Set(ctx, key, "1234"); err != nil {
			t.Fatal(err)
		}
	}
	if there("b") || !there("a") || !there("c") || memory.bytes != 8 {
		t.Errorf("%v of %d bytes", memory.order, memory.bytes)
	}
	if memory.Set(ctx, "d", "12345678901") == nil {
		t.Error("11 bytes of 10 are stored")
	}
	memory.TTL = -time.Second
	if err := memory.Set(ctx, "d", "1"); err != nil || there("d") {
		t.Error("what is too old is there", err)
	}
}
