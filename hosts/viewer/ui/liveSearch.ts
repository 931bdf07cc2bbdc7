/** Shows what a search finds while a person types: below the field of the header, or in the page of the search. */
import { counted } from "./counted.ts"
import { make, part, parts, setText } from "./dom.ts"

/** How long somebody has to pause for the text to be sought, in milliseconds. */
const pause = 150

const foundFor = async (url: string, signal: AbortSignal): Promise<Element | null> => {
  const response = await fetch(url, { signal })
  if (!response.ok || response.redirected) return null
  return new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main .found")
}

const searchWhileTyping = (form: HTMLFormElement): void => {
  const field = part(form, 'input[name="q"]', HTMLInputElement)
  const isPage = form.closest("main") !== null
  const found = isPage ? part(document, "main .found", HTMLElement) : make("div", "found")
  const status = make("p", "unseen")
  status.role = "status"
  form.append(...(isPage ? [] : [found]), status)
  const links = () => parts(found, "a[href]", HTMLAnchorElement)

  let asked = new AbortController()
  let waiting: ReturnType<typeof setTimeout> | undefined
  const search = async (): Promise<void> => {
    const { signal } = asked
    const url = `${form.action}?${new URLSearchParams({ q: field.value })}`
    // What an earlier text found must not stand below this one, whatever fails.
    const next = await foundFor(url, signal).catch(() => null)
    if (signal.aborted) return
    found.replaceChildren(...(next === null ? [] : isPage ? next.childNodes : next.querySelectorAll("ul, p.none")))
    const { length } = links()
    setText(status, next === null || field.value.trim() === "" ? "" : counted(length, "result"))
    if (isPage) history.replaceState(null, "", url)
  }
  field.addEventListener("input", () => {
    asked.abort()
    asked = new AbortController()
    clearTimeout(waiting)
    waiting = setTimeout(() => void search(), pause)
  })

  const move = (event: KeyboardEvent): void => {
    const { key, target } = event
    const stops = [field, ...links()]
    const at = stops.findIndex((stop) => stop === target)
    const to = key === "ArrowDown" ? stops[at + 1] : key === "ArrowUp" ? stops[at - 1] : undefined
    if (at >= 0 && to !== undefined) {
      event.preventDefault()
      to.focus()
    }
    if (key === "Escape" && !isPage) {
      found.replaceChildren()
      field.focus()
    }
  }
  for (const root of isPage ? [form, found] : [form]) root.addEventListener("keydown", move)
}

/** Makes the search forms of the page show results while somebody types. */
export const liveSearch = (): void => {
  for (const form of parts(document, 'form[role="search"]', HTMLFormElement)) searchWhileTyping(form)
}
