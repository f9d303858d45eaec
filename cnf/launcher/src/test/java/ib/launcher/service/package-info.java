/** Tests of the socket of a service. */
@NullMarked
package ib.launcher.service;

import org.jspecify.annotations.NullMarked;
