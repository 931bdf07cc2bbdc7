/** What the script of each page does besides its own work: times relative to now, the theme, and a menu that closes. */
import { parts } from "./dom.ts"
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
  document.cookie = `${themeCookie}=${theme}; path=/; max-age=${life}; samesite=lax`
  document.querySelector("#dark")?.setAttribute("media", darkWhen[theme])
  document.querySelector('meta[name="color-scheme"]')?.setAttribute("content", schemes[theme])
}

/** Runs what every page needs. */
export const everyPage = (): void => {
  showTimes()
  setInterval(showTimes, minute)
  for (const select of parts(document, "select.theme", HTMLSelectElement)) {
    for (const label of select.labels) label.hidden = false
    select.addEventListener("change", () => chooseTheme(select))
  }
  for (const menu of parts(document, "details.menu", HTMLDetailsElement)) {
    document.addEventListener("click", ({ target }) => {
      if (target instanceof Node && !menu.contains(target)) menu.open = false
    })
    menu.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return
      menu.open = false
      menu.querySelector("summary")?.focus()
    })
  }
}
