// What is not in sight: the page in the contents, and what is wider than its place.

document.querySelector("#contents [aria-current]")?.scrollIntoView({ block: "nearest" });

/** What is wider than its place can be reached by the keyboard, and nothing else. */
function reach(): void {
  for (const one of document.querySelectorAll<HTMLElement>(".scrolls")) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
    else one.removeAttribute("tabindex");
  }
}
addEventListener("resize", reach);
reach();
