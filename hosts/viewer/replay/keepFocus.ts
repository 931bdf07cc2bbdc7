/** Within how many milliseconds after a person moved the focus it can't be a person who moves it again. */
const soon = 600

/** How many times within that time show that the app takes the focus on purpose. */
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
  // People move into a frame by the Tab key themselves.
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Tab") kept = undefined
  })
  // No more events arrive here once a frame has the focus.
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
      if (times === often) onThief()
    })
  })
}
