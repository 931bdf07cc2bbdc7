/** A focus change this soon after a person's (in milliseconds) can't be a person's too. */
const soon = 600

/** After this many such changes within that time, the app grabs the focus on purpose. */
const often = 8

/**
 * Keeps the focus where a person put it. A frame can grab the focus at any time; if it does so too soon to be a
 * person's action, the focus is given back. `onGrabbed` is called if the frame does so repeatedly.
 */
export const keepFocus = (onGrabbed: () => void): void => {
  let kept: HTMLElement | undefined
  let since = 0
  let times = 0

  document.addEventListener("focusin", ({ target, timeStamp }) => {
    if (!(target instanceof HTMLElement) || target instanceof HTMLIFrameElement || target === kept) return
    kept = target
    since = timeStamp
    times = 0
  })
  // People enter a frame with the Tab key themselves.
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") kept = undefined
  })
  // Once a frame has the focus, the page gets no more keyboard events.
  window.addEventListener("blur", ({ timeStamp }) => {
    const to = kept
    if (to === undefined || !(document.activeElement instanceof HTMLIFrameElement)) return
    if (timeStamp - since > soon) {
      kept = undefined
      return
    }
    times += 1
    // The focus can't be moved back before it has arrived in the frame.
    setTimeout(() => {
      to.focus({ preventScroll: true })
      if (times === often) onGrabbed()
    })
  })
}
