import type { Fields } from "../../runtime/decode.ts"

/** What gesture-handler calls the states of a gesture. */
export const State = { undetermined: 0, failed: 1, began: 2, cancelled: 3, active: 4, end: 5 } as const
export type State = (typeof State)[keyof typeof State]

/** A finger, where it is on the page. */
export interface Finger {
  readonly id: number
  readonly x: number
  readonly y: number
  readonly time: number
}

/** What a recogniser makes of the fingers: the state that it wants to be in, or none other than it has. */
export type Wish = Exclude<State, typeof State.undetermined> | undefined

/** Recognises one kind of gesture. It has the fingers as they are now, and those that it began with. */
export interface Recogniser {
  readonly down: (fingers: ReadonlyArray<Finger>) => Wish
  readonly move: (fingers: ReadonlyArray<Finger>, isActive: boolean) => Wish
  /** A finger was lifted at `last`; these are left. */
  readonly up: (fingers: ReadonlyArray<Finger>, last: Finger, isActive: boolean) => Wish
  /** The event's fields besides the position. */
  readonly data: () => Fields
  /** Resets it. */
  readonly reset: () => void
}

/** How a recogniser asks to be in a state some time later. */
export type Later = (milliseconds: number, wish: Wish) => void

export type MakeRecogniser = (config: () => Fields, later: Later) => Recogniser
