//! A host of the plain module: toolshape in wasmi.

use serde_json::Value;
use wasmi::{Engine, Instance, Linker, Memory, Module, Store, TypedFunc};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// toolshape in wasmi.
pub struct Toolshape {
    store: Store<()>,
    memory: Memory,
    functions: [TypedFunc<u32, u32>; 2],
    free: TypedFunc<u32, ()>,
}

impl Toolshape {
    pub fn new(wasm: &[u8]) -> Result<Self> {
        let module = Module::new(&Engine::default(), wasm)?;
        let mut store = Store::new(module.engine(), ());
        let instance: Instance = Linker::new(module.engine()).instantiate_and_start(&mut store, &module)?;
        let memory = instance.get_memory(&store, "memory").ok_or("no memory")?;
        let [alloc, call] = ["toolshape_alloc", "toolshape_call"].map(|name| instance.get_typed_func(&store, name));
        let free = instance.get_typed_func(&store, "toolshape_free")?;
        Ok(Self { functions: [alloc?, call?], store, memory, free })
    }

    /// Sends a message, and returns the parts of the answer.
    pub fn send(&mut self, parts: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
        let numbers = [parts.len()].into_iter().chain(parts.iter().map(|part| part.len()));
        let mut message: Vec<u8> = numbers.flat_map(|number| (number as u32).to_le_bytes()).collect();
        parts.iter().for_each(|part| message.extend_from_slice(part));
        let address = self.functions[0].call(&mut self.store, message.len() as u32)?;
        self.memory.write(&mut self.store, address as usize, &message)?;
        let answer = self.functions[1].call(&mut self.store, address)?;
        let (data, start) = (self.memory.data(&self.store), answer as usize);
        let number = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes")) as usize;
        let mut at = start + 4 + 4 * number(start);
        let read = |nth| {
            let from = at;
            at += number(start + 4 * nth);
            data[from..at].to_vec()
        };
        let came = (1..=number(start)).map(read).collect();
        self.free.call(&mut self.store, answer)?;
        Ok(came)
    }

    /// Calls a method of `request`, which names `parts` by their numbers, as the result names those of the answer.
    pub fn call(&mut self, request: &Value, parts: &[&[u8]]) -> Result<(Value, Vec<Vec<u8>>)> {
        let json = request.to_string();
        let came = self.send(&[&[json.as_bytes()], parts].concat())?;
        let mut answer: Value = serde_json::from_slice(&came[0])?;
        if answer["error"].is_object() {
            return Err(answer["error"].to_string().into());
        }
        Ok((answer["result"].take(), came))
    }
}
