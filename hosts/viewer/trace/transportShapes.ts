/** The shapes on the buttons of playback, as paths of 16 by 16: the fonts of a machine may have no sign for them. */
export const shapes = {
  play: "M3 2l11 6-11 6z",
  pause: "M3 2h4v12H3zm6 0h4v12H9z",
  before: "M2 2h2v12H2zm12 0v12L5 8z",
  after: "M12 2h2v12h-2zM2 2l9 6-9 6z"
}
