import { render } from "preact";
import { App } from "./app.js";

const app = document.getElementById("app") as HTMLElement;
app.replaceChildren();
render(<App />, app);
