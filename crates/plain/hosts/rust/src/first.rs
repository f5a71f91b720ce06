//! Shapes one page of a thousand rows with the plain module.

mod host;

use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let mut toolshape = host::Toolshape::new(&std::fs::read(file)?)?;
    let (shaper, _) = toolshape.call(&json!({ "method": "shaper", "policy": { "maxTokens": 300 } }), &[])?;
    let rows = json!((0..1000).map(|id| json!({ "id": id })).collect::<Vec<_>>()).to_string();
    let request = json!({ "method": "shapeJson", "shaper": shaper, "text": 1, "call": { "tool": "list_ids" } });
    let (result, parts) = toolshape.call(&request, &[rows.as_bytes()])?;
    let text = result["text"].as_u64().map_or(rows.as_bytes(), |number| &parts[number as usize]);
    println!("{}", std::str::from_utf8(text)?);
    Ok(())
}
