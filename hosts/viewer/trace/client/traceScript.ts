/** The page of a run: its steps, video, screenshots, events and log on one clock. */
import { lengthOfRun, momentIn, momentOf, type TraceEvent } from "../steps.ts"
import { type Step, type TraceData } from "../traceData.ts"
import { copyFrom, drawTimeline, keepAddress, listenToKeys, makeSay, makeTransport, showOnHover } from "./transport.ts"
import { makeClock } from "./clock.ts"
import { dataOf, part, parts } from "../../ui/dom.ts"
import { showEvents, showLog } from "./entryList.ts"
import { gatherSteps, makeStepList, noSteps } from "./stepList.ts"
import { makeStage, playByClick } from "./stage.ts"
import { everyPage } from "../../ui/everyPage.ts"

everyPage()

const page = part(document, "#trace", HTMLElement)
const data: TraceData = dataOf("trace-data")
const recordingsOf = (kind: string) => data.recordings.filter((recording) => recording.kind === kind)
const say = makeSay(part(page, ".said", HTMLElement))

// The clock is made first, because a video that is already loaded reports its length at once.
const clock = makeClock((t) => stage.leads(t), lengthOfRun(data))
const stage = makeStage(page, data.recordings, {
  pick: (t) => {
    clock.pause()
    clock.seek(t)
  },
  end: clock.lengthen,
  near: 250
})
playByClick(page, clock)
const [stepSection] = parts(page, ".steps", HTMLElement)
const steps = stepSection === undefined ? noSteps : makeStepList(stepSection, clock, data)
let known: ReadonlyArray<Step> = data.steps

const textOf = (step: Step): string => `step ${step.index + 1} of ${known.length}, ${step.status}: ${step.name}`

// The initial moment: the one in the address, else where the run failed, else the end.
const asked = momentIn(location.hash)
if (asked !== undefined) clock.seek(asked)
else if (!steps.goToFailure()) clock.seek(Infinity)
const begun = clock.state().sought
keepAddress(clock)

// The link to the failure selects that step, even if another one begins at the same moment.
for (const failure of parts(document, ".failure", HTMLElement)) {
  copyFrom(failure, say)
  failure.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a.moment") !== null) steps.goToFailure()
  })
}

let said: Step | undefined
clock.onMove((state, move) => {
  stage.follow(state, move)
  const step = steps.current()
  if (move === "seek" && step !== undefined && step !== said && state.sought !== begun) say(textOf(step))
  said = step
})

const timeline = part(page, ".timeline", SVGSVGElement)
let drawn = clock.state().length
const draw = (): void => {
  drawn = clock.state().length
  drawTimeline(timeline, known, stage.shots, drawn)
}
let drawing: ReturnType<typeof setTimeout> | undefined
clock.onMove(({ length }) => {
  if (length === drawn) return
  clearTimeout(drawing)
  drawing = setTimeout(draw, 200)
})

const lists = { clock, say }
const events = recordingsOf("events")
const log = recordingsOf("log")
if (events.length > 0) {
  // A step may be one event, which has the time at which the step began.
  const isMeant = ({ name, t, type }: TraceEvent): boolean => {
    const step = steps.meant()
    return step !== undefined && type === "step" && name === step.name && (t === momentOf(step) || t === step.from)
  }
  void showEvents(part(page, ".events", HTMLElement), events, { ...lists, isMeant }).all.then(async (all) => {
    const gathered = await gatherSteps(all)
    known = gathered.steps
    draw()
    await steps.update(gathered)
    // The page was made with the first steps only, which may not include the one that failed.
    const { isPlaying, sought } = clock.state()
    if (asked === undefined && sought === begun && !isPlaying) steps.goToFailure()
  })
}
if (log.length > 0) showLog(part(page, ".log", HTMLElement), log, lists)

const [find] = parts(page, ".find", HTMLInputElement)
const actions = { next: steps.next, before: steps.before, find: () => find?.focus() }
const showKeys = listenToKeys(clock, actions)
makeTransport(part(page, ".transport", HTMLElement), clock, {
  ...actions,
  showKeys,
  say,
  moment: () => {
    const step = steps.current()
    return step === undefined ? "" : `, ${textOf(step)}`
  }
})
showOnHover(part(page, ".transport", HTMLElement), clock, stage.pictureAt)
