import type { RecordingData } from "../traceData.ts"
import type { Clock } from "./clock.ts"
import { make, onceAFrame, part, setText } from "../../ui/dom.ts"
import { download, wordsOf } from "./download.ts"
import { markFound } from "./markFound.ts"
import { slices } from "./slices.ts"
import { makeTimeList } from "./timeList.ts"

/** The most entries that are stored: browsers can't draw a much longer list. */
const most = 500_000

/** Something with a time on the clock of the page. */
interface Timed {
  readonly t: number
}

/** One kind of entries: how they are read, searched and shown. */
export interface Kind<A extends Timed> {
  readonly noun: string
  readonly read: (
    recording: RecordingData,
    stream: ReadableStream<Uint8Array<ArrayBuffer>>
  ) => AsyncIterable<ReadonlyArray<A>>
  /** The condition that people filter by at the moment. */
  readonly filter: () => (one: A) => boolean
  /** Draws an entry in a line of the list. */
  readonly draw: (line: HTMLElement, one: A) => void
  /** The details of an entry, shown below the list. */
  readonly detail: (one: A) => ReadonlyArray<Node>
  /** Chooses the current entry among those up to a moment, if it isn't the last one. */
  readonly isMeant?: (one: A) => boolean
}

/** A list of entries on the clock of a page. */
export interface EntryList<A extends Timed> {
  /** Filters again, because the condition has changed. */
  readonly filter: () => void
  /** Every entry that could be read, ordered by time. */
  readonly all: Promise<ReadonlyArray<A>>
}

const inOrder = (all: ReadonlyArray<Timed>): boolean =>
  all.every(({ t }, index) => index === 0 || (all[index - 1]?.t ?? 0) <= t)

/** Reads entries from recordings into the list of a section. People can use the list meanwhile. */
export const showEntries = <A extends Timed>(
  section: HTMLElement,
  recordings: ReadonlyArray<RecordingData>,
  { clock, say }: { readonly clock: Clock; readonly say: (text: string) => void },
  kind: Kind<A>
): EntryList<A> => {
  const rows = part(section, ".rows", HTMLElement)
  const count = part(section, ".count", HTMLElement)
  const detail = part(section, ".detail", HTMLElement)
  const progress = part(section, "progress", HTMLProgressElement)
  const problem = part(section, ".notice", HTMLElement)
  for (const hidden of [rows, detail, progress, part(section, ".tools", HTMLElement)]) hidden.hidden = false
  part(section, ".from", HTMLElement).hidden = true

  const all: Array<A> = []
  let shown: Array<number> = []
  let looked = 0
  let fits = kind.filter()
  let [isLooking, isOther, isRead] = [false, false, false]

  const at = (index: number): A | undefined => all[shown[index] ?? -1]
  const list = makeTimeList(rows, part(rows, ".all", HTMLElement), {
    count: () => shown.length,
    timeOf: (index) => at(index)?.t ?? 0,
    isMeant: (index) => {
      const one = at(index)
      return one !== undefined && kind.isMeant?.(one) === true
    },
    draw: (line, index) => {
      const one = at(index)
      if (one !== undefined) kind.draw(line, one)
      found()
    },
    pick: (index) => {
      clock.pause()
      clock.seek(at(index)?.t ?? 0)
    },
    current: (index) => {
      const one = index === undefined ? undefined : at(index)
      detail.replaceChildren(...(one === undefined ? [] : kind.detail(one)))
      detail.scrollTop = 0
    }
  })
  clock.onMove(({ t }, move) => list.show(t, move))
  part(section, ".find", HTMLInputElement).addEventListener("keydown", ({ isComposing, key }) => {
    if (key === "Enter" && !isComposing) list.next()
  })

  const counted = (): string => {
    const [some, whole] = [shown.length, all.length].map((one) => one.toLocaleString("en-GB"))
    return shown.length === all.length ? `${whole}` : `${some} of ${whole}`
  }
  const found = markFound(rows, part(section, ".find", HTMLInputElement))
  const refresh = onceAFrame(() => {
    setText(count, isRead || all.length > 0 ? counted() : "")
    if (isOther) list.replace()
    else list.grow()
    isOther = false
  })

  /** Filters the entries that have not been filtered yet. */
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    const breathe = slices()
    while (looked < all.length) {
      const one = all[looked]
      if (one !== undefined && fits(one)) shown.push(looked)
      looked += 1
      if (looked % 64 !== 0) continue
      refresh()
      await breathe()
    }
    isLooking = false
    refresh()
    if (isRead) say(`${counted()} ${kind.noun}`)
  }

  const lookAnew = (): void => {
    ;[shown, looked, isOther, fits] = [[], 0, true, kind.filter()]
    void look()
  }

  const readOne = async (recording: RecordingData, onBytes: (bytes: number) => void): Promise<void> => {
    const breathe = slices()
    for await (const batch of kind.read(recording, await download(recording.url, onBytes))) {
      const room = most - all.length
      const kept = batch.slice(0, room)
      all.push(...kept)
      clock.lengthen(kept.at(-1)?.t ?? 0)
      void look()
      await breathe()
      if (batch.length > room) throw new RangeError(`Only the first ${most.toLocaleString("en-GB")} are shown.`)
    }
  }

  const readAll = async (): Promise<ReadonlyArray<A>> => {
    const total = recordings.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    let before = 0
    for (const recording of recordings) {
      try {
        await readOne(recording, (bytes) => {
          progress.max = total
          progress.value = before + bytes
        })
      } catch (error) {
        problem.hidden = false
        const why = error instanceof RangeError ? error.message : wordsOf(error)
        problem.append(make("bdi", "", recording.name), `: ${why} `)
        say(`${recording.name}: ${why}`)
      }
      before += recording.sizeBytes
    }
    progress.hidden = true
    isRead = true
    if (inOrder(all)) void look()
    else {
      all.sort((one, other) => one.t - other.t)
      lookAnew()
    }
    return all
  }

  return { filter: lookAnew, all: readAll() }
}
