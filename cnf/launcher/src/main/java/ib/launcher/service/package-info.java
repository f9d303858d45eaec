/**
 * The service: a runtime in the background that its user asks over a socket.
 *
 * <p>{@link ib.launcher.service.SocketServer} stands inside the framework, {@link
 * ib.launcher.service.Client} in the program that asks. Both speak frames ({@link
 * ib.launcher.service.Frames}): the server says {@code HELLO}; the client asks one thing ({@code
 * EXEC}, {@code ATTACH}, {@code LOOK} or {@code STOP}), a shell's keys follow as {@code INPUT}; the
 * server answers with {@code OUT} and {@code ERR}, and ends with {@code STATUS}. The socket lies in
 * a folder that only its user can enter ({@link ib.launcher.service.RunFolder}), and the server
 * asks the kernel who calls.
 *
 * <p>Locks, which do not nest but where it says so: the monitor of {@code Frames} guards the frames
 * that wait to be written, and senders wait on it; that of {@code Input} the bytes that wait to be
 * read, and readers wait on it; that of {@code SocketServer} guards the socket and its file, which
 * is made again when it is lost; that of {@code Caller} guards the command that runs, and is held
 * while a screen changes its size.
 */
@NullMarked
package ib.launcher.service;

import org.jspecify.annotations.NullMarked;
