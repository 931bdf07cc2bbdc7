/** How long it stays quiet before something is said, so that only the last of what happens at once is. */
const rest = 500

/** Says something to people who listen to the page rather than look at it. */
export const makeSay = (status: HTMLElement): ((text: string) => void) => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  return (text) => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      status.textContent = text
    }, rest)
  }
}
