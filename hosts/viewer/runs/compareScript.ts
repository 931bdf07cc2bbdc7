/** Plays two runs side by side on one clock: the run that reaches a step first waits for the other. */
import { copyFrom, keepAddress, listenToKeys, makeSay, makeTransport } from "../trace/client/transport.ts"
import { type Clock, type ClockState, makeClock } from "../trace/client/clock.ts"
import { makeStage, playByClick, type Stage } from "../trace/client/stage.ts"
import { commonClock, type Side } from "../trace/align.ts"
import { momentIn } from "../trace/steps.ts"
import type { CompareData } from "../trace/traceData.ts"
import { bringIntoView, dataOf, markCurrent, part, parts, setText } from "../ui/dom.ts"
import { everyPage } from "../ui/everyPage.ts"
import { differences, type Differences, type Marked } from "./differences.ts"

// The two screens of a comparison: side by side or over each other, with an outline of what differs.

const sides = ["left", "right"] as const
const svg = "http://www.w3.org/2000/svg"

/** How long a moment has to last before its screens are compared, in milliseconds. */
const pause = 120

/** How far from the pixels that differ their outline is, in pixels of the picture. */
const margin = 6

type Screen = HTMLImageElement | HTMLVideoElement

/** The picture or video of a side that is shown. */
const screenIn = (side: HTMLElement): Screen | undefined =>
  [...side.querySelectorAll<Screen>(".screens :is(img, video)")].find(
    (one) => one.offsetParent !== null && one.offsetHeight > 0
  )

/** The pixels of a screen. A picture is read again, as one of another origin may not be read from the page. */
const pixelsOf = async (screen: Screen): Promise<ImageBitmap | undefined> => {
  if (screen instanceof HTMLVideoElement) return screen.readyState < 2 ? undefined : await createImageBitmap(screen)
  const response = await fetch(screen.src, { credentials: "omit" })
  return createImageBitmap(await response.blob())
}

const textOf = ({ areas, share }: Differences): string =>
  areas === 0
    ? "The screens are the same."
    : `${areas} ${areas === 1 ? "area differs" : "areas differ"} (${(share * 100).toFixed(1)}%)`

/** Draws outlines over a screen. */
const outline = (side: HTMLElement, screen: Screen, { boxes, height, width }: Marked): void => {
  const host = part(side, ".screens", HTMLElement)
  const drawing = document.createElementNS(svg, "svg")
  drawing.setAttribute("class", "differences")
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`)
  drawing.setAttribute("preserveAspectRatio", "none")
  drawing.setAttribute("aria-hidden", "true")
  for (const box of boxes) {
    const rect = document.createElementNS(svg, "rect")
    // Within the picture, so that no side of it is cut off in a narrow window.
    const [x, y] = [Math.max(1, box.x - margin), Math.max(1, box.y - margin)]
    const [right, bottom] = [
      Math.min(width - 1, box.x + box.width + margin),
      Math.min(height - 1, box.y + box.height + margin)
    ]
    const around = { x, y, width: right - x, height: bottom - y, rx: margin }
    for (const [name, value] of Object.entries(around)) rect.setAttribute(name, String(value))
    drawing.append(rect)
  }
  // The box of a screen can be wider or higher than the picture in it, which is at its top and in its middle.
  const [outer, inner] = [host.getBoundingClientRect(), screen.getBoundingClientRect()]
  const scale = Math.min(inner.width / width, inner.height / height)
  drawing.style.left = `${inner.left - outer.left + (inner.width - width * scale) / 2}px`
  drawing.style.top = `${inner.top - outer.top}px`
  drawing.style.width = `${width * scale}px`
  drawing.style.height = `${height * scale}px`
  host.append(drawing)
}

/** Lets a person choose how the screens are compared. Answers the keys that do it. */
const compareScreens = (page: HTMLElement, clock: Clock): { readonly keys: Record<string, () => void> } => {
  const area = part(page, ".sides", HTMLElement)
  const controls = part(page, ".modes", HTMLElement)
  const mix = part(controls, ".mix", HTMLInputElement)
  const outlines = part(controls, ".outline", HTMLInputElement)
  const found = part(controls, ".differing", HTMLElement)
  const buttons = parts(controls, "button[data-mode]", HTMLButtonElement)
  const [left, right] = sides.map((side) => part(area, `[data-side="${side}"]`, HTMLElement))
  if (left === undefined || right === undefined) return { keys: {} }
  let round = 0
  let last: readonly [Screen, Screen, Differences] | undefined

  const clear = (): void => {
    for (const drawing of area.querySelectorAll(".differences")) drawing.remove()
  }
  const draw = (): void => {
    clear()
    if (last === undefined || !outlines.checked) return
    outline(left, last[0], last[2].left)
    outline(right, last[1], last[2].right)
  }

  const compare = async (): Promise<void> => {
    const mine = (round += 1)
    const [one, other] = [screenIn(left), screenIn(right)]
    if (one === undefined || other === undefined) return
    try {
      const [a, b] = await Promise.all([pixelsOf(one), pixelsOf(other)])
      if (a === undefined || b === undefined || mine !== round) return
      last = [one, other, differences(a, b)]
      setText(found, textOf(last[2]))
    } catch {
      if (mine !== round) return
      last = undefined
      setText(found, "This browser can't read the pixels of these screens.")
    }
    draw()
  }
  let waiting: ReturnType<typeof setTimeout> | undefined
  const soon = (): void => {
    clearTimeout(waiting)
    waiting = setTimeout(() => void compare(), pause)
  }

  const setMode = (mode: string): void => {
    area.dataset["mode"] = mode
    mix.hidden = mode !== "swipe" && mode !== "onion"
    for (const button of buttons) button.ariaPressed = String(button.dataset["mode"] === mode)
    draw()
  }
  const setMix = (): void => area.style.setProperty("--mix", `${mix.value}`)

  controls.hidden = screenIn(left) === undefined && screenIn(right) === undefined
  for (const button of buttons) button.addEventListener("click", () => setMode(button.dataset["mode"] ?? "side"))
  mix.addEventListener("input", setMix)
  outlines.addEventListener("change", draw)
  area.addEventListener("click", soon)
  area.addEventListener("seeked", soon, true)
  area.addEventListener("load", soon, true)
  new ResizeObserver(draw).observe(area)
  clock.onMove(({ isPlaying }) => {
    clear()
    last = undefined
    if (!isPlaying) soon()
  })
  setMix()
  setMode("side")
  soon()
  const byKey = buttons.map((button, index) => [String(index + 1), () => button.click()] as const)
  return { keys: { ...Object.fromEntries(byKey), d: () => outlines.click() } }
}

everyPage()

const page = part(document, "#compare", HTMLElement)
const data: CompareData = dataOf("compare-data")
const say = makeSay(part(page, ".said", HTMLElement))
const lengths = { ...data.lengths }
let common = commonClock(data.marks, lengths)

/** The clock runs only while both videos are ready; it runs by itself and the videos follow. */
const leader = (t: number): "waiting" | undefined => {
  const times = common.at(t)
  return stages.left.leads(times.left) === "waiting" || stages.right.leads(times.right) === "waiting"
    ? "waiting"
    : undefined
}
const clock: Clock = makeClock(leader, common.length)

const stageOf = (side: Side): Stage =>
  makeStage(part(page, `[data-side="${side}"]`, HTMLElement), data[side].recordings, {
    pick: (t) => clock.seek(common.timeOf(side, t)),
    end: (t) => {
      lengths[side] = Math.max(lengths[side], t)
      common = commonClock(data.marks, lengths)
      clock.lengthen(common.length)
    },
    // Screenshots of the same step are compared, however long the step took.
    near: Infinity,
    around: page
  })
for (const section of parts(page, ".failure", HTMLElement)) copyFrom(section, say)
const stages = { left: stageOf("left"), right: stageOf("right") }
for (const side of parts(page, ".side", HTMLElement)) playByClick(side, clock)

/** The compared steps in the order of the table: when each begins, and which moment shows it best. */
const rows = parts(page, "tr[data-t]", HTMLTableRowElement).map((row) => ({
  row,
  t: Number(row.dataset["t"]),
  moment: Number(row.dataset["moment"])
}))
let current = -1
let picked: number | undefined

/** The row for a time: the one that a person selected, else the last one that has begun. */
const rowAt = (t: number): number =>
  picked !== undefined && rows[picked]?.moment === t ? picked : rows.findLastIndex((row) => row.t <= t)

const pick = (index: number): void => {
  const found = rows[Math.min(Math.max(index, 0), rows.length - 1)]
  if (found === undefined) return
  picked = rows.indexOf(found)
  clock.pause()
  clock.seek(found.moment)
}

for (const [index, { row }] of rows.entries()) {
  const button = part(row, ".go", HTMLButtonElement)
  button.disabled = false
  button.addEventListener("click", () => pick(index))
}

const nameOf = (index: number): string => rows[index]?.row.querySelector("th bdi")?.textContent ?? ""

/** A run that waits stands still while the clock runs. */
const stateOf = (side: Side, state: ClockState): ClockState => {
  const [now, soon] = [common.at(state.t)[side], common.at(state.t + 1)[side]]
  return { ...state, t: now, isPlaying: state.isPlaying && soon > now }
}

clock.onMove((state, move) => {
  for (const side of ["left", "right"] as const) stages[side].follow(stateOf(side, state), move)
  const at = rowAt(state.t)
  if (at === current) return
  const list = rows[at]?.row.closest<HTMLElement>(".steps")
  if (list !== undefined && list !== null) bringIntoView(list, rows[at]?.row ?? list)
  markCurrent(rows[current]?.row, rows[at]?.row, "step")
  if (move === "seek" && current !== -1) say(`Step ${at + 1} of ${rows.length}: ${nameOf(at)}`)
  current = at
})

// The list of steps ends with the window, so that the step of the moment is visible in it.
const steps = page.querySelector<HTMLElement>(":scope > .steps")
const fitSteps = (): void =>
  steps?.style.setProperty("--above", `${steps.getBoundingClientRect().top + window.scrollY}px`)
new ResizeObserver(fitSteps).observe(page)
fitSteps()

// The initial moment: the one in the address, else the failure of the only run with recordings, else where the runs begin to differ.
const recorded = sides.filter((side) => data[side].recordings.length > 0)
const column = recorded[0] === "left" ? 1 : 2
const failing = recorded.length === 1 ? rows.findLastIndex(({ row }) => row.cells[column]?.matches(".failed")) : -1
const asked = momentIn(location.hash)
const parting = rows.findIndex(({ row }) => row.matches(".status, .message, .only-left, .only-right"))
if (asked !== undefined) clock.seek(asked)
else if (failing >= 0 || parting >= 0) pick(failing >= 0 ? failing : parting)
else clock.seek(0)
keepAddress(clock)
// Uses the clock's current time, which may be newer than the one shown.
const screens = compareScreens(page, clock)
const goBy = (count: number) => () => pick(rowAt(clock.state().t) + count)
const actions = { next: goBy(1), before: goBy(-1), others: screens.keys }
const showKeys = listenToKeys(clock, actions)
makeTransport(part(page, ".transport", HTMLElement), clock, {
  ...actions,
  showKeys,
  say,
  moment: () => (current < 0 ? "" : `, step ${current + 1} of ${rows.length}: ${nameOf(current)}`)
})
