// Command server is an MCP server over stdio, written without an SDK, whose results are shaped: server MODULE.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"toolshape"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string) error {
	shapes, err := toolshape.Open(ctx, file)
	if err != nil {
		return err
	}
	defer shapes.Close(ctx)
	options := toolshape.Options{
		Policy: map[string]any{"maxTokens": 1000},
		Store:  toolshape.NewMemory(),
		Log:    func(line string) { fmt.Fprintln(os.Stderr, line) },
	}
	return shapes.Serve(ctx, options, os.Stdin, os.Stdout, serve)
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Name            string `json:"name"`
	} `json:"params"`
}

// serve answers a message a line.
func serve(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReader(in), json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var asked request
		if json.Unmarshal(line, &asked) != nil || asked.ID == nil {
			continue
		}
		if err := answers.Encode(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": result(asked)}); err != nil {
			return err
		}
	}
}

func result(asked request) any {
	switch asked.Method {
	case "initialize":
		return map[string]any{
			"protocolVersion": asked.Params.ProtocolVersion,
			"capabilities":    map[string]any{"tools": map[string]any{}},
			"serverInfo":      map[string]any{"name": "articles", "version": "1.0.0"},
		}
	case "tools/list":
		schema := map[string]any{"type": "object", "properties": map[string]any{}}
		return map[string]any{"tools": []any{
			map[string]any{"name": "list_articles", "description": "Lists all articles.", "inputSchema": schema},
		}}
	case "tools/call":
		articles := make([]any, 800)
		for id := range articles {
			articles[id] = map[string]any{"id": id, "title": fmt.Sprintf("Article %d", id), "stock": id * 7 % 100}
		}
		text, _ := json.Marshal(articles)
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}}
	default:
		return map[string]any{}
	}
}
