/** The controls of the clock: the buttons, the timeline, the keys, the moment in the address. */
import { make, part, parts, setText } from "../../ui/dom.ts"
import { areMany, barsOf, clockText, hashOf, momentIn, positionOf, rowHeight, rowsOf, timelineWidth } from "../steps.ts"
import { type Step, shapes } from "../traceData.ts"
import type { Clock } from "./clock.ts"

/** The actions of the buttons beside the scrubber, and the texts for screen readers. */
interface TransportActions {
  readonly next: () => void
  readonly before: () => void
  readonly showKeys: () => void
  readonly say: (text: string) => void
  /** The current step, in words. */
  readonly moment: () => string
}

/** Shows the scrubber and the buttons of a page, and lets them move its clock. */
export const makeTransport = (root: HTMLElement, clock: Clock, actions: TransportActions): void => {
  const scrubber = part(root, ".scrubber", HTMLInputElement)
  const play = part(root, ".play", HTMLButtonElement)
  const sign = part(play, "path", SVGPathElement)
  const time = part(root, ".time", HTMLElement)
  const rate = part(root, ".rate", HTMLSelectElement)
  const copyButton = part(root, ".copy-link", HTMLButtonElement)
  for (const hidden of parts(root, "[hidden]", HTMLElement)) hidden.hidden = false

  // On a phone it is small until it is used.
  for (const use of ["pointerdown", "focusin"]) root.addEventListener(use, () => root.classList.add("is-used"))
  play.addEventListener("click", () => (clock.state().isPlaying ? clock.pause() : clock.play()))
  part(root, ".after", HTMLButtonElement).addEventListener("click", actions.next)
  part(root, ".before", HTMLButtonElement).addEventListener("click", actions.before)
  part(root, ".keys", HTMLButtonElement).addEventListener("click", actions.showKeys)
  scrubber.addEventListener("input", () => clock.seek(scrubber.valueAsNumber))
  rate.addEventListener("change", () => clock.setRate(Number(rate.value)))

  copyButton.addEventListener("click", () => {
    const address = new URL(hashOf(clock.state().t), location.href)
    void copy(address.href).then((isCopied) => {
      if (!isCopied) location.replace(address.hash)
      const said = isCopied ? "Copied" : "In the address bar"
      copyButton.textContent = said
      actions.say(isCopied ? "The link to this moment is copied" : "The link to this moment is in the address bar")
      setTimeout(() => {
        copyButton.textContent = "Copy link"
      }, 2000)
    })
  })

  clock.onMove(({ isPlaying, length, t }) => {
    scrubber.max = String(Math.ceil(length))
    scrubber.value = String(t)
    scrubber.setAttribute("aria-valuetext", `${clockText(t)} of ${clockText(length)}${actions.moment()}`)
    setText(time, `${clockText(t)} / ${clockText(length)}`)
    sign.setAttribute("d", isPlaying ? shapes.pause : shapes.play)
    play.ariaLabel = play.title = isPlaying ? "Pause" : "Play"
  })
}

const rectangle = (facts: Readonly<Record<string, string | number>>): SVGRectElement => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "rect")
  for (const [name, value] of Object.entries(facts)) element.setAttribute(name, String(value))
  return element
}

/** Redraws a timeline, as the server drew it, with the steps and the length of the run that are known now. */
export const drawTimeline = (
  svg: SVGSVGElement,
  steps: ReadonlyArray<Step>,
  shots: ReadonlyArray<number>,
  length: number
): void => {
  const bars = barsOf(steps, length)
  const height = rowsOf(bars) * rowHeight
  svg.classList.toggle("many", areMany(bars))
  svg.setAttribute("viewBox", `0 0 ${timelineWidth} ${height}`)
  part(svg, ".bars", SVGGElement).replaceChildren(
    ...bars.map(({ mark, row, width, x }) =>
      rectangle({ class: mark, x, y: row * rowHeight, width, height: rowHeight - 2 })
    )
  )
  part(svg, ".shots", SVGGElement).replaceChildren(
    ...shots.map((t) => rectangle({ x: positionOf(t, length) - 1, y: height - 3, width: 2, height: 3 }))
  )
}

/** Shows the screenshot and the time of the moment below the mouse, above the track. */
export const showOnHover = (root: HTMLElement, clock: Clock, pictureAt: (t: number) => string | undefined): void => {
  const track = part(root, ".track", HTMLElement)
  const box = make("div", "hover")
  const [picture, time] = [make("img"), make("span", "type")]
  picture.alt = ""
  box.ariaHidden = "true"
  box.hidden = true
  box.append(picture, time)
  track.append(box)
  track.addEventListener("pointermove", ({ clientX, pointerType }) => {
    if (pointerType !== "mouse") return
    const { left, width } = track.getBoundingClientRect()
    const share = Math.min(Math.max((clientX - left) / width, 0), 1)
    const t = share * clock.state().length
    const url = pictureAt(t)
    picture.hidden = url === undefined
    if (url !== undefined && picture.src !== url) picture.src = url
    time.textContent = clockText(t)
    box.style.left = `${share * 100}%`
    box.hidden = false
  })
  track.addEventListener("pointerleave", () => {
    box.hidden = true
  })
}

/** What keys do besides moving the clock. */
interface KeyActions {
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

/** How long the moment must stay the same before the address changes: browsers limit the rate of such changes. */
const addressDelay = 300

/**
 * Connects a clock with the fragment of the page's address. A link to a moment sets the clock. The address names the
 * moment once a person has selected one or stopped there.
 */
export const keepAddress = (clock: Clock): void => {
  let writing: ReturnType<typeof setTimeout> | undefined
  let written = clock.state().t

  const go = (hash: string): void => {
    const t = momentIn(hash)
    if (t !== undefined) clock.seek(t)
  }

  const write = (): void => {
    const { isPlaying, t } = clock.state()
    if (isPlaying || t === written) return
    written = t
    history.replaceState(null, "", hashOf(t))
  }

  addEventListener("hashchange", () => go(location.hash))
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#t="]') : null
    if (link instanceof HTMLAnchorElement) go(link.hash)
  })
  let wasPlaying = false
  clock.onMove(({ isPlaying }, move) => {
    const isMeant = move === "seek" || (wasPlaying && !isPlaying)
    wasPlaying = isPlaying
    if (!isMeant) return
    clearTimeout(writing)
    writing = setTimeout(write, addressDelay)
  })
}

/** Copies a text; `false` if the browser doesn't allow that. */
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Lets the button of a section copy the message in it, where there is one. */
export const copyFrom = (section: HTMLElement, say: (text: string) => void): void => {
  for (const button of parts(section, "button.copy", HTMLButtonElement)) {
    button.hidden = section.querySelector("pre") === null
    button.addEventListener("click", () => {
      void copy(section.querySelector("pre")?.textContent ?? "").then((isCopied) => {
        say(isCopied ? "The message is copied" : "This browser doesn't allow that. Select the message to copy it.")
        button.textContent = isCopied ? "Copied" : "Not allowed"
      })
    })
  }
}

/** The delay before an announcement, so that of several at once only the last is made. */
const announcementDelay = 500

/** Announces something to people who use a screen reader. */
export const makeSay = (status: HTMLElement): ((text: string) => void) => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  return (text) => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      status.textContent = text
    }, announcementDelay)
  }
}
