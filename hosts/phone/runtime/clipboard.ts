/** The clipboard that all libraries of an app share. A frame without an origin can't reach that of the page. */
export const clipboard = { text: "" }
