/**
 * Where elements are measured that are in no document yet. Nothing outside of it depends on its size, so each measure
 * lays out one element and not the page.
 */
let made: HTMLElement | undefined

export const ruler = (): HTMLElement => {
  if (made !== undefined) return made
  made = document.createElement("div")
  made.className = "ruler"
  made.ariaHidden = "true"
  // Beside the body, so that it isn't mistaken for a part of the app.
  document.documentElement.append(made)
  return made
}
