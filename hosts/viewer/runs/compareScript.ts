/** Plays two runs side by side on one clock: the run that reaches a step first waits for the other. */
import { commonClock, type Side } from "../trace/commonClock.ts"
import { momentIn } from "../trace/moment.ts"
import type { CompareData } from "../trace/traceData.ts"
import { keepAddress } from "../trace/client/address.ts"
import { makeClock, type Clock, type ClockState } from "../trace/client/clock.ts"
import { copyFrom } from "../trace/client/copy.ts"
import { compareScreens } from "./compareScreens.ts"
import { bringIntoView, dataOf, markCurrent, part, parts } from "../ui/dom.ts"
import { listenToKeys } from "../trace/client/keys.ts"
import { makeSay } from "../trace/client/say.ts"
import { makeStage, playByClick, type Stage } from "../trace/client/stage.ts"
import { makeTransport } from "../trace/client/transport.ts"
import { everyPage } from "../ui/everyPage.ts"

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

// The initial moment: the one in the address, else the one where the runs begin to differ.
const asked = momentIn(location.hash)
const parting = rows.findIndex(({ row }) => row.matches(".status, .message, .only-left, .only-right"))
if (asked !== undefined) clock.seek(asked)
else if (parting >= 0) pick(parting)
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
