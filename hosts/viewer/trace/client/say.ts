/** The delay before an announcement, so that of several at once only the last is made. */
const rest = 500

/** Announces something to people who use a screen reader. */
export const makeSay = (status: HTMLElement): ((text: string) => void) => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  return (text) => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      status.textContent = text
    }, rest)
  }
}
