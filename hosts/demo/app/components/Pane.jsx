import { StyleSheet, View } from "react-native"

/** Fills the stage while active; hidden, but still mounted, otherwise. */
export const Pane = ({ active, children }) => <View style={[styles.pane, !active && styles.hidden]}>{children}</View>

const styles = StyleSheet.create({
  pane: { position: "absolute", top: 0, right: 0, bottom: 0, left: 0 },
  hidden: { display: "none" }
})
