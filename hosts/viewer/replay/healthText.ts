import type { Health } from "./health.ts"

/** What each state of an app is called. */
export const labels: Readonly<Record<Health["state"], string>> = {
  starting: "Starting",
  running: "Running",
  blank: "Nothing is drawn",
  crashed: "Crashed",
  silent: "Not answering",
  unheard: "Not answering",
  failed: "Failed",
  obstacle: "Can’t run"
}

/** The explanation of an app's state, if it is one of trouble. */
export const troubleOf = (health: Health): string | undefined => {
  switch (health.state) {
    case "silent":
      return `The app doesn’t answer. ${health.doing || "It may be in an endless loop, or have run out of memory."} Stop or reload it.`
    case "unheard":
      return (
        "The app sent nothing. It may be in an endless loop, or have run out of memory. Stop or reload it. " +
        "If this page is older than an hour, load the page again."
      )
    case "failed":
      return `The app failed ${health.hasDrawn ? "and draws nothing any more" : "before it had drawn anything"}. ${health.hint ?? ""}`
    case "blank":
      return (
        "The app runs, and has drawn nothing for five seconds. " +
        (health.missing === undefined
          ? "It may wait for a server, which a replay has not."
          : `The last of what it asked for and isn’t there is the ${health.missing.what} ${health.missing.name}.`)
      )
    case "crashed":
      return "The app crashed: on a phone, a release build would have closed. Reload it to run it again."
    case "obstacle":
      return "This bundle can’t run in a browser."
    default:
      return undefined
  }
}

export const flooded = "It posted more messages than a page can read, so it was stopped."
export const focusTaken = "It kept taking the keyboard away from the page, so it was stopped."
export const stoppedByVisitor = "The app was stopped. Reload it to run it again."
