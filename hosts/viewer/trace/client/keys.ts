import type { Clock } from "./clock.ts"
import { part } from "../../ui/dom.ts"

/** What keys do besides moving the clock. */
export interface KeyActions {
  readonly next: () => void
  readonly before: () => void
  readonly find?: () => void
  /** What the page's own keys do, each of one sign. */
  readonly others?: Readonly<Record<string, () => void>>
}

const second = 1000

/** The storage key for switching off shortcuts of one letter, as people who use voice control need. */
const noLetters = "slipway.noLetters"

/** Stores the switch for later pages, if the browser allows that. */
const keep = (letters: HTMLInputElement): void => {
  try {
    letters.checked = localStorage.getItem(noLetters) === null
    letters.addEventListener("change", () => {
      if (letters.checked) localStorage.removeItem(noLetters)
      else localStorage.setItem(noLetters, "")
    })
  } catch {
    // The setting then holds for this page only.
  }
}

/** Whether a key is text input here, or has its own meaning. */
const takesKeys = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof HTMLElement)) return false
  if (target.matches("select, textarea, input:not([type=range], [type=checkbox]), [contenteditable]")) return true
  return key === " " && target.matches("button, summary, a, input[type=checkbox]")
}

/** Lets keys move the clock. Returns a function that opens and closes the list of the keys. */
export const listenToKeys = (clock: Clock, actions: KeyActions): (() => void) => {
  const dialog = part(document, "#keys", HTMLDialogElement)
  const letters = part(dialog, ".letters", HTMLInputElement)
  keep(letters)
  const show = (): void => (dialog.open ? dialog.close() : dialog.showModal())
  const by = (milliseconds: number) => () => clock.seek(clock.state().t + milliseconds)

  const named = new Map<string, () => void>([
    [" ", () => (clock.state().isPlaying ? clock.pause() : clock.play())],
    ["ArrowLeft", by(-second)],
    ["ArrowRight", by(second)],
    ["Shift+ArrowLeft", by(-10 * second)],
    ["Shift+ArrowRight", by(10 * second)]
  ])
  const lettered = new Map<string, (() => void) | undefined>([
    ["j", actions.next],
    ["k", actions.before],
    ["/", actions.find],
    ["?", show],
    ...Object.entries(actions.others ?? {})
  ])

  document.addEventListener("keydown", (event) => {
    const { altKey, ctrlKey, defaultPrevented, key, metaKey, shiftKey, target } = event
    if (altKey || ctrlKey || metaKey || defaultPrevented || takesKeys(target, key)) return
    if (dialog.open && key !== "?") return
    const act =
      named.get(shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key) ??
      (letters.checked ? lettered.get(key.toLowerCase()) : undefined)
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  return show
}
