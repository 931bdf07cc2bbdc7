/** What an app asked for that isn't there. */
export interface Missing {
  readonly what: "component" | "module" | "command" | "method"
  readonly name: string
}

/** What the phone has to say of the app that it runs. */
export interface Notes {
  /** Tells once that the app asked for something that isn't there. */
  readonly missing: (what: Missing["what"], name: string) => void
  /** What was found out about the bundle, in a sentence. */
  readonly found: (text: string) => void
  /** A line for the console. */
  readonly line: (text: string) => void
  /** Why the app can't run. */
  readonly obstacle: (text: string) => void
  /** What the app is at, which may take long or never end: for a page that hears nothing else meanwhile. */
  readonly doing: (text: string) => void
  /** Does a job that the sentence tells of until it has ended. */
  readonly during: <A>(text: string, job: () => A) => A
}

/** The most that is told to be missing, as an app may ask for any number of things. */
const mostMissing = 100

/** The event by which a note is dispatched on the phone's frame; it bubbles. */
export const noteEvent = "phone-note"

export type Note =
  | ({ readonly kind: "missing" } & Missing)
  | { readonly kind: "found" | "obstacle" | "doing"; readonly text: string }

export const makeNotes = (frame: HTMLElement): Notes => {
  const tell = (note: Note): void => {
    frame.dispatchEvent(new CustomEvent(noteEvent, { detail: note, bubbles: true }))
  }
  const told = new Set<string>()
  const line = (text: string) => console.info(text)
  const doing = (text: string) => tell({ kind: "doing", text })
  return {
    missing: (what, name) => {
      if (told.size >= mostMissing || told.has(`${what} ${name}`)) return
      told.add(`${what} ${name}`)
      if (told.size === mostMissing) line(`It asks for ${mostMissing} things that aren’t there; more aren’t listed.`)
      tell({ kind: "missing", what, name })
    },
    found: (text) => tell({ kind: "found", text }),
    line,
    obstacle: (text) => tell({ kind: "obstacle", text }),
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
