/**
 * For `node --import`: the clock of a process, off by `SHIFTED_CLOCK_MS` milliseconds, as that of a machine may be. Every
 * program in the process reads it, libraries too.
 */
const shift = Number(process.env["SHIFTED_CLOCK_MS"] ?? 0)
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...time: ReadonlyArray<never>) {
    if (time.length === 0) super(RealDate.now() + shift)
    else super(...(time as unknown as [number]))
  }
  static override now(): number {
    return RealDate.now() + shift
  }
}

globalThis.Date = ShiftedDate as DateConstructor
