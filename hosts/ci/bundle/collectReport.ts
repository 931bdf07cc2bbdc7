/**
 * Runs in the document of an app, which has its text and nothing else: it reports once whether something was drawn, the first
 * error, and what was missing. It waits a while longer after the first screen, for what that asks for.
 */
export const collectReport = (): void => {
  const times = { draw: 20_000, drawAfterError: 8000, settle: 2000, every: 100 }
  const missing = new Set<string>()
  let error: string | undefined
  const begun = performance.now()
  let drawn: number | undefined
  const note = (text: unknown): void => {
    error ??= String(text)
  }
  document.addEventListener("phone-note", (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined
    const { kind, name, text, what } = {
      kind: "",
      name: "",
      text: "",
      what: "",
      ...(detail instanceof Object ? detail : {})
    }
    if (kind === "missing" && missing.size < 100) missing.add(`${what} ${name}`)
    if (kind === "obstacle") note(text)
  })
  window.addEventListener("error", (event) => note(event.error ?? event.message))
  window.addEventListener("unhandledrejection", ({ reason }) => note(reason))
  const isDrawn = (): boolean => {
    const all = [...(document.querySelector("#root")?.children ?? []), ...document.body.children]
    return all.some((element) => {
      const { height, width } = element.getBoundingClientRect()
      const isOfPage = element.matches("#root, script, style, template, link, noscript, .bezel, .ruler")
      return (
        !isOfPage &&
        width * height > 0 &&
        (element.textContent?.trim() !== "" ||
          element.querySelector("img, svg, canvas, video, input, .pixels") !== null)
      )
    })
  }
  const look = (): void => {
    const now = performance.now()
    if (drawn === undefined && isDrawn()) drawn = now
    const drawTime = error === undefined ? times.draw : times.drawAfterError
    const isOver = drawn === undefined ? now - begun > drawTime : now - drawn > times.settle
    if (!isOver) {
      setTimeout(look, times.every)
      return
    }
    // What was drawn at first may have been removed by a crash.
    const report = { isDrawn: isDrawn(), error: error?.slice(0, 4000), missing: [...missing] }
    void fetch("/", { method: "POST", body: JSON.stringify(report) })
  }
  look()
}
