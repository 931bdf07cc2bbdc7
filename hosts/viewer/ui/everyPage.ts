/** What the script of each page does besides its own work: relative times, the theme, menus that close, and the search. */
import { make, part, parts, setText } from "./dom.ts"
import { darkWhen, isTheme, schemes, themeCookie } from "./theme.ts"
import { counted, relativeTime } from "./words.ts"

const minute = 60_000

const showTimes = (): void => {
  const now = Date.now()
  for (const time of parts(document, "time[datetime]", HTMLTimeElement)) {
    const at = Date.parse(time.dateTime)
    if (time.title === "") time.title = `${time.dateTime.slice(0, 19).replace("T", " ")} UTC`
    time.textContent = relativeTime(at, now)
  }
}

const chooseTheme = (select: HTMLSelectElement): void => {
  const theme = select.value
  if (!isTheme(theme)) return
  const life = theme === "system" ? 0 : 31_536_000
  const { pathname = "/" } = document.querySelector<HTMLAnchorElement>("a.brand") ?? {}
  document.cookie = `${themeCookie}=${theme}; path=${pathname}; max-age=${life}; samesite=lax`
  document.querySelector("#dark")?.setAttribute("media", darkWhen[theme])
  document.querySelector('meta[name="color-scheme"]')?.setAttribute("content", schemes[theme])
}

/** Ctrl-K, or Cmd-K, goes to the search field; where there is none in sight, to the page of the search. */
const goToSearch = (event: KeyboardEvent): void => {
  const { altKey, ctrlKey, key, metaKey, shiftKey } = event
  if (key.toLowerCase() !== "k" || ctrlKey === metaKey || altKey || shiftKey) return
  event.preventDefault()
  const fields = parts(document, 'main input[name="q"], .top input[name="q"]', HTMLInputElement)
  const field = [...fields].toReversed().find((one) => one.checkVisibility())
  if (field === undefined) document.querySelector<HTMLAnchorElement>("a.search")?.click()
  field?.select()
}

const openMenus = () => parts(document, "details.menu[open]", HTMLDetailsElement)

/** What the content of a page needs, also when it was exchanged. */
export const attachHandlers = (): void => {
  showTimes()
  const home = document.querySelector<HTMLAnchorElement>("a.brand")
  for (const host of parts(document, ".this-host", HTMLElement)) {
    if (home !== null) host.textContent = home.href.replace(/\/$/, "")
  }
  for (const tab of parts(document, ".tabs [aria-current]", HTMLElement)) {
    const row = tab.parentElement
    if (row !== null) row.scrollLeft = tab.offsetLeft + tab.offsetWidth - row.clientWidth
  }
}

/** Runs what every page needs. */
export const everyPage = (): void => {
  addEventListener("keydown", goToSearch)
  attachHandlers()
  setInterval(showTimes, minute)
  liveSearch()
  for (const select of parts(document, "select.theme", HTMLSelectElement)) {
    for (const label of select.labels) label.hidden = false
    select.addEventListener("change", () => chooseTheme(select))
  }
  addEventListener("click", ({ target }) => {
    for (const menu of openMenus()) if (target instanceof Node && !menu.contains(target)) menu.open = false
  })
  addEventListener("keydown", ({ key, target }) => {
    for (const menu of key === "Escape" ? openMenus() : []) {
      menu.open = false
      if (target instanceof Node && menu.contains(target)) menu.querySelector("summary")?.focus()
    }
  })
}

// Shows what a search finds while a person types: below the field of the header, or in the page of the search.

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
const liveSearch = (): void => {
  for (const form of parts(document, 'form[role="search"]', HTMLFormElement)) searchWhileTyping(form)
}
