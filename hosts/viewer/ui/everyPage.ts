/** What the script of each page does besides its own work: relative times, the theme, menus that close, and the search. */
import { parts } from "./dom.ts"
import { liveSearch } from "./liveSearch.ts"
import { darkWhen, isTheme, schemes, themeCookie } from "./theme.ts"
import { relativeTime } from "./relativeTime.ts"

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
export const enliven = (): void => {
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
  enliven()
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
