(() => {
  const tip = document.createElement("div")
  tip.id = "tip"
  tip.hidden = true
  document.body.append(tip)
  const said = new Map()
  for (const part of document.querySelectorAll("g.t")) {
    const title = part.querySelector("title")
    said.set(part, title.textContent)
    title.remove()
  }
  const show = event => {
    const part = event.target.closest && event.target.closest("g.t")
    tip.hidden = !part
    if (!part) return
    tip.textContent = said.get(part)
    const { width, height } = tip.getBoundingClientRect()
    const x = Math.min(event.clientX + 12, innerWidth - width - 8)
    const y = event.clientY + 16 + height > innerHeight ? event.clientY - height - 12 : event.clientY + 16
    tip.style.left = `${Math.max(8, x)}px`
    tip.style.top = `${y}px`
  }
  document.addEventListener("pointermove", show)
  document.addEventListener("pointerdown", show)
  document.addEventListener("pointerleave", () => (tip.hidden = true))
})()
