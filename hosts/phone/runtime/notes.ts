import { appFolder } from "./assets.ts"

/** A module or view that an app needs and the phone lacks. */
interface Missing {
  readonly what: "component" | "module" | "command" | "method" | "SF Symbol" | "drawable" | "font"
  readonly name: string
}

/** A note of the phone about its app. */
export interface Notes {
  /** Notes once that the app needs something that is missing. */
  readonly missing: (what: Missing["what"], name: string) => void
  /** Writes once to the console that a file could not be loaded, if it is one of the app's own. */
  readonly absent: (uri: string) => void
  /** What was found out about the bundle, in a sentence. */
  readonly found: (text: string) => void
  /** A line for the console. */
  readonly line: (text: string) => void
  /** Why the app can't run. */
  readonly obstacle: (text: string) => void
  /** The error by which a release build on a phone would have ended. */
  readonly crashed: (text: string) => void
  /** The current job of the app, which may take long or never end: for a page that gets no other message meanwhile. */
  readonly doing: (text: string) => void
  /** Runs a job, with the sentence as a note until it has ended. */
  readonly during: <A>(text: string, job: () => A) => A
}

/** The most missing names that are noted, as an app may request any number. */
const maxMissing = 100

/** The most files whose absence is noted, as an app may name any number. */
const maxAbsent = 50

/** The event by which a note is dispatched on the phone's frame; it bubbles. */
export const noteEvent = "phone-note"

export type Note =
  | ({ readonly kind: "missing" } & Missing)
  | { readonly kind: "found" | "obstacle" | "crashed" | "doing"; readonly text: string }

export const makeNotes = (frame: HTMLElement): Notes => {
  const dispatch = (note: Note): void => {
    frame.dispatchEvent(new CustomEvent(noteEvent, { detail: note, bubbles: true }))
  }
  const noted = new Set<string>()
  const absent = new Set<string>()
  const line = (text: string) => console.info(text)
  const doing = (text: string) => dispatch({ kind: "doing", text })
  return {
    missing: (what, name) => {
      if (noted.size >= maxMissing || noted.has(`${what} ${name}`)) return
      noted.add(`${what} ${name}`)
      if (noted.size === maxMissing)
        line(`It needs ${maxMissing} modules and views that don’t exist; more aren’t listed.`)
      dispatch({ kind: "missing", what, name })
    },
    absent: (uri) => {
      if (!uri.startsWith(appFolder) || absent.size >= maxAbsent || absent.has(uri)) return
      absent.add(uri)
      const path = decodeURI(uri.slice(appFolder.length))
      line(`The app’s file ${path} could not be loaded. Is it in the upload, at this path?`)
    },
    found: (text) => dispatch({ kind: "found", text }),
    line,
    obstacle: (text) => dispatch({ kind: "obstacle", text }),
    crashed: (text) => dispatch({ kind: "crashed", text }),
    doing,
    during: (text, job) => {
      doing(text)
      try {
        return job()
      } finally {
        doing("")
      }
    }
  }
}
