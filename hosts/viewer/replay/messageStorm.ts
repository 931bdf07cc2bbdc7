import { makeAllowance } from "./allowance.ts"

/** In a second. An app may have a few messages for whatever is around it; a page of the viewer reads none of them. */
const mostMessages = 100

const allowance = makeAllowance({ read: mostMessages, flood: mostMessages, milliseconds: 1000 })

/**
 * Calls `onStorm` when frames post so many messages to this window that nobody would get through to it. Whatever runs in
 * a frame can reach the top window, and no document between them keeps it from that, so the only help is that the frame
 * goes. What is posted is never looked at: unpacking it is what takes long.
 */
export const watchForStorm = (onStorm: () => void): void => {
  const count = ({ source }: MessageEvent): void => {
    // Extensions of the browser post to the window from within it.
    if (source !== window && allowance.next(performance.now()) === "flood") onStorm()
  }
  window.addEventListener("message", count)
  // What can't be unpacked in this process comes as an error, and is as many.
  window.addEventListener("messageerror", count)
}
