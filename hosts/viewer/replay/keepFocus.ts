/** How soon after somebody put the focus somewhere it was no person who moved it on, in milliseconds. */
const soon = 600

/** How often within that time it takes more than a person's clicks to move it. */
const often = 8

/**
 * Keeps the focus on the page where somebody put it. What runs in a frame may take it at any time; where that is so soon
 * that it was no person, it is given back. `onThief` is called when it is taken again and again.
 */
export const keepFocus = (onThief: () => void): void => {
  let kept: HTMLElement | undefined
  let since = 0
  let times = 0

  document.addEventListener("focusin", ({ target, timeStamp }) => {
    if (!(target instanceof HTMLElement) || target instanceof HTMLIFrameElement || target === kept) return
    kept = target
    since = timeStamp
    times = 0
  })
  // By this key people go into a frame themselves.
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") kept = undefined
  })
  // Of a frame that has the focus, no more is told.
  window.addEventListener("blur", ({ timeStamp }) => {
    const to = kept
    if (to === undefined || !(document.activeElement instanceof HTMLIFrameElement)) return
    if (timeStamp - since > soon) {
      kept = undefined
      return
    }
    times += 1
    // While it is on its way to the frame, it can't be turned around.
    setTimeout(() => {
      to.focus({ preventScroll: true })
      if (times === often) onThief()
    })
  })
}
