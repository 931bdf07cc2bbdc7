/**
 * For `node --import`: the clock of a process, off by `SHIFTED_CLOCK_MS` milliseconds, as that of a machine may be, or by as many
 * as the file `SHIFTED_CLOCK_FILE` says, which may change. Every program in the process reads it, libraries too.
 */
import { readFileSync } from "node:fs"

const { SHIFTED_CLOCK_FILE: file, SHIFTED_CLOCK_MS: fixed = "0" } = process.env
const RealDate = Date

/** The file is read again after so many milliseconds. */
const fresh = 5
let read = { at: -Infinity, shift: Number(fixed) }

const now = (): number => {
  if (file !== undefined && RealDate.now() - read.at > fresh) {
    read = { at: RealDate.now(), shift: Number(readFileSync(file, "utf8")) }
  }
  return RealDate.now() + read.shift
}

class ShiftedDate extends RealDate {
  constructor(...time: ReadonlyArray<never>) {
    if (time.length === 0) super(now())
    else super(...(time as unknown as [number]))
  }
  static override now(): number {
    return now()
  }
}

globalThis.Date = ShiftedDate as DateConstructor
