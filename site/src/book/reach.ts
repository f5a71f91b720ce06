// Scrolls the contents to the current page, and makes wide content scrollable by keyboard.

document.querySelector("#contents [aria-current]")?.scrollIntoView({ block: "nearest" });

/** Only elements wider than their container receive keyboard focus. */
function reach(): void {
  for (const one of document.querySelectorAll<HTMLElement>(".scrolls")) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
    else one.removeAttribute("tabindex");
  }
}
addEventListener("resize", reach);
reach();
