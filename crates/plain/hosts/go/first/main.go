// Command first shapes 1,000 rows: first MODULE.
package main

import (
	"context"
	"encoding/json"
	"fmt"
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
	shaper, _, err := shapes.Call(ctx, "shaper", map[string]any{"policy": map[string]any{"maxTokens": 300}})
	if err != nil {
		return err
	}
	list := make([]map[string]int, 1000)
	for id := range list {
		list[id] = map[string]int{"id": id}
	}
	rows, _ := json.Marshal(list)
	members := map[string]any{"shaper": shaper, "text": 1, "call": map[string]any{"tool": "list_ids"}}
	result, parts, err := shapes.Call(ctx, "shapeJson", members, rows)
	if err != nil {
		return err
	}
	var shaped struct{ Text *int }
	if err := json.Unmarshal(result, &shaped); err != nil {
		return err
	}
	if shaped.Text != nil {
		rows = parts[*shaped.Text]
	}
	fmt.Println(string(rows))
	return nil
}
