/** What an app asked for that isn't there. */
export interface Missing {
  readonly what: "component" | "module" | "command" | "method"
  readonly name: string
}

/** What the phone has to say of the app that it runs, to the page around it. */
export interface Notes {
  /** Tells once that the app asked for something that isn't there. */
  readonly missing: (what: Missing["what"], name: string) => void
  /** What was found out about the bundle, in a sentence. */
  readonly found: (text: string) => void
  /** A line for the console. */
  readonly line: (text: string) => void
  /** Why the app can't run. */
  readonly obstacle: (text: string) => void
}

/** What the document is told of the phone, for the bridge to pass on. */
export const noteEvent = "slipway-phone"

export type Note =
  | ({ readonly kind: "missing" } & Missing)
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "obstacle"; readonly text: string }

const tell = (note: Note): void => {
  document.dispatchEvent(new CustomEvent(noteEvent, { detail: note }))
}

export const makeNotes = (): Notes => {
  const told = new Set<string>()
  return {
    missing: (what, name) => {
      if (told.has(`${what} ${name}`)) return
      told.add(`${what} ${name}`)
      tell({ kind: "missing", what, name })
    },
    found: (text) => tell({ kind: "found", text }),
    line: (text) => console.info(text),
    obstacle: (text) => tell({ kind: "obstacle", text })
  }
}
