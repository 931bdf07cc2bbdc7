import { makeAllowance } from "./allowance.ts"

/**
 * The most messages in a second. An app may post a few to the windows around it; the viewer's pages read none of them.
 */
const mostMessages = 100

const allowance = makeAllowance({ read: mostMessages, flood: mostMessages, milliseconds: 1000 })

/**
 * Calls `onStorm` if frames post so many messages to this window that people could no longer use it. Any frame can post
 * to the top window and nothing can prevent that, so the only remedy is to remove the frame. The messages are never
 * read, because deserializing them is slow.
 */
export const watchForStorm = (onStorm: () => void): void => {
  const count = ({ source }: MessageEvent): void => {
    // Browser extensions post to the window from within it.
    if (source !== window && allowance.next(performance.now()) === "flood") onStorm()
  }
  window.addEventListener("message", count)
  // A message that can't be deserialized arrives as a `messageerror`, which counts too.
  window.addEventListener("messageerror", count)
}
